import { clock } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/wire/session-store.js';
import { isSessionId } from '../../sessions/project-key.js';
import { loadFrom, readFrom } from '../../sessions/store-calls.js';
import type { PlacedConfig, RuntimeStart } from '../start/runtime-config.js';
import { conversationIn, type StoredConversation } from './stored-messages.js';

export interface ChosenSession {
  key: SessionKey;
  /** The conversation that it goes on from; undefined: none. */
  from: SessionKey | undefined;
  /** Where earlier ones are. */
  store: SessionStore | undefined;
  /** Where this one is kept; undefined: nowhere. */
  kept: SessionStore | undefined;
}

/** Which conversation the flags mean: a new one, an earlier one, or a fork. */
export async function chosenSession(config: PlacedConfig, start: RuntimeStart): Promise<ChosenSession> {
  const { flags, cwd, sessionStore: store = config.sessionStore, loadTimeoutMs } = start;
  if (flags.sessionId !== undefined && !isSessionId(flags.sessionId)) {
    throw new TenonError('INVALID_OPTION', `Invalid session ID: "${flags.sessionId}" is not a UUID.`);
  }
  const projectKey = await config.platform.projectKey(cwd);
  const from =
    flags.resume ?? (flags.continue ? await latestOf(store, projectKey, loadTimeoutMs) : undefined);
  const isNew = from === undefined || flags.forkSession;
  const key = { projectKey, sessionId: isNew ? (flags.sessionId ?? clock.uuid()) : from };
  const kept = flags.persistSession ? store : undefined;
  if (isNew && flags.sessionId !== undefined && (await loadFrom(kept, key, loadTimeoutMs)) != null) {
    throw new TenonError('SESSION_ID_IN_USE', `Session ID ${key.sessionId} is already in use.`);
  }
  return { key, from: from === undefined ? undefined : { projectKey, sessionId: from }, store, kept };
}

/** An earlier conversation, up to where the flags say. Throws if it cannot be resumed. */
export async function loadConversation(
  from: SessionKey,
  store: SessionStore | undefined,
  { flags, loadTimeoutMs }: RuntimeStart,
): Promise<StoredConversation & { stored: SessionStoreEntry[] }> {
  // Anything else is not loaded: it may be a path out of the store's folder.
  const stored = isSessionId(from.sessionId) ? await loadFrom(store, from, loadTimeoutMs) : undefined;
  if (stored == null) {
    throw new TenonError('SESSION_NOT_FOUND', `No conversation found with session ID: ${from.sessionId}`);
  }
  const until = flags.resumeSessionAt;
  const conversation = conversationIn(stored, until);
  if (conversation !== undefined) return { ...conversation, stored };
  throw new TenonError('SESSION_NOT_FOUND', `No message found with message.uuid of: ${until}`);
}

async function latestOf(
  store: SessionStore | undefined,
  projectKey: string,
  timeoutMs: number | undefined,
): Promise<string | undefined> {
  const sessions = await readFrom('listSessions', async () => store?.listSessions?.(projectKey), timeoutMs);
  return sessions?.toSorted((left, right) => right.mtime - left.mtime)[0]?.sessionId;
}
