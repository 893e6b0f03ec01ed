import { randomUUID } from 'node:crypto';
import type { MessageParam } from '../../protocol/content.js';
import { messageOf, TenonError } from '../../protocol/errors.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session-store.js';
import { promptWords } from '../../sessions/first-prompt.js';
import { isSessionId, projectKeyAt } from '../../sessions/places.js';
import { appendTo, readFrom } from '../../sessions/store-calls.js';
import { RUNTIME_VERSION, type RuntimeConfig, type RuntimeStart } from '../runtime-config.js';
import { checkPairs, repaired } from './pairs.js';
import { conversationIn, type EntryContext, entriesOf } from './stored-messages.js';

/** Told of what has come into the store. */
type OnSaved = (key: SessionKey, entries: SessionStoreEntry[]) => void;

/** What was said in a conversation, in memory and in the store. The model reads `messages` as they are. */
export class Transcript {
  readonly key: SessionKey;
  readonly messages: MessageParam[] = [];
  readonly #start: RuntimeStart;
  readonly #onSaved: OnSaved;
  readonly #store: SessionStore | undefined;
  /** What is in memory and not in the store yet. */
  #unsaved: SessionStoreEntry[] = [];
  #saving: Promise<void> = Promise.resolve();
  /** Of writes, to be told at the end of the turn. */
  #failures: Error[] = [];
  /** The entry that the next one follows. */
  #last: string | undefined;
  #noted: string | undefined;
  #lastPrompt: string | undefined;

  private constructor(
    key: SessionKey,
    store: SessionStore | undefined,
    start: RuntimeStart,
    onSaved: OnSaved,
  ) {
    this.key = key;
    this.#store = store;
    this.#start = start;
    this.#onSaved = start.flags.sessionMirror ? onSaved : () => {};
  }

  /** A new conversation, or an old one as the flags say. What cannot be gone on with is an error, before any model call. */
  static async open(config: RuntimeConfig, start: RuntimeStart, onSaved: OnSaved): Promise<Transcript> {
    const { flags, cwd, sessionStore: store = config.sessionStore, loadTimeoutMs } = start;
    const { history: seed = [] } = config;
    if (flags.sessionId !== undefined && !isSessionId(flags.sessionId)) {
      throw new TenonError('INVALID_OPTION', `Invalid session ID: "${flags.sessionId}" is no UUID.`);
    }
    const projectKey = await projectKeyAt(cwd);
    const from =
      flags.resume ?? (flags.continue ? await latestOf(store, projectKey, loadTimeoutMs) : undefined);
    const isNew = from === undefined || flags.forkSession;
    const key = { projectKey, sessionId: isNew ? (flags.sessionId ?? randomUUID()) : from };
    const kept = flags.persistSession ? store : undefined;
    if (isNew && flags.sessionId !== undefined && (await loadFrom(kept, key, loadTimeoutMs)) != null) {
      throw new TenonError('SESSION_ID_IN_USE', `Session ID ${key.sessionId} is already in use.`);
    }
    const transcript = new Transcript(key, kept, start, onSaved);
    checkPairs(seed);
    // What was said before the first prompt is in an old conversation already.
    if (from !== undefined) await transcript.#take({ projectKey, sessionId: from }, store);
    else for (const message of seed) transcript.add(message);
    return transcript;
  }

  get sessionId(): string {
    return this.key.sessionId;
  }

  /** `lines`: the ids under which the host has seen it. */
  add(said: MessageParam, lines: readonly string[] = [], model?: string): void {
    // A copy: in memory the host holds parts of the same objects.
    const message = structuredClone(said);
    const [first = randomUUID(), ...more] = lines;
    this.messages.push(message);
    const entries = entriesOf(message, [first, ...more], this.#last, this.#context(model));
    this.#last = entries.at(-1)?.uuid;
    for (const entry of entries) this.#lastPrompt = promptWords(entry).prompt ?? this.#lastPrompt;
    this.#unsaved.push(...entries);
    if (this.#start.sessionStoreFlush !== 'batched') void this.#save();
  }

  /** Notes where the conversation stands, by which the CLI finds its end, and saves. Rejects when any of it was not taken. */
  async endTurn(): Promise<void> {
    if (this.#last !== this.#noted && this.#lastPrompt !== undefined) {
      const { sessionId } = this;
      this.#unsaved.push({
        type: 'last-prompt',
        lastPrompt: this.#lastPrompt,
        leafUuid: this.#last,
        sessionId,
      });
      this.#noted = this.#last;
    }
    await this.#save();
    const [failure] = this.#failures;
    this.#failures = [];
    if (failure !== undefined) throw failure;
  }

  /** In order, one write at a time; resolves when the store has what was said before, or has failed to take it. */
  #save(): Promise<void> {
    const entries = this.#unsaved;
    const store = this.#store;
    this.#unsaved = [];
    if (store !== undefined && entries.length > 0) {
      this.#saving = this.#saving.then(() => this.#write(store, entries));
    }
    return this.#saving;
  }

  async #write(store: SessionStore, entries: SessionStoreEntry[]): Promise<void> {
    try {
      await appendTo(store, this.key, entries);
      this.#onSaved(this.key, entries);
    } catch (error) {
      this.#failures.push(error instanceof Error ? error : new Error(messageOf(error)));
    }
  }

  #context(model: string | undefined): EntryContext {
    return { sessionId: this.sessionId, cwd: this.#start.cwd, version: RUNTIME_VERSION, model };
  }

  async #take(from: SessionKey, store: SessionStore | undefined): Promise<void> {
    const { flags, loadTimeoutMs } = this.#start;
    // Not asked for: whatever is no id may be a path out of the store's own folder.
    const stored = isSessionId(from.sessionId) ? await loadFrom(store, from, loadTimeoutMs) : undefined;
    if (stored == null) {
      throw new TenonError('SESSION_NOT_FOUND', `No conversation found with session ID: ${from.sessionId}`);
    }
    const { said, leaf } = conversationIn(stored);
    const until = flags.resumeSessionAt;
    const last = until === undefined ? said.length - 1 : said.findIndex(({ ids }) => ids.includes(until));
    if (until !== undefined && last === -1) {
      throw new TenonError('SESSION_NOT_FOUND', `No message found with message.uuid of: ${until}`);
    }
    const kept = said.slice(0, last + 1);
    // A fork has all of it under its own id; else what follows goes on from the last entry that counts.
    if (from.sessionId !== this.sessionId) for (const { message, ids } of kept) this.add(message, ids);
    else this.#last = until === undefined ? leaf : kept.at(-1)?.ids.at(-1);
    this.messages.splice(0, this.messages.length, ...repaired(kept.map(({ message }) => message)));
  }
}

async function latestOf(
  store: SessionStore | undefined,
  projectKey: string,
  timeoutMs: number | undefined,
): Promise<string | undefined> {
  const sessions = await readFrom('listSessions', async () => store?.listSessions?.(projectKey), timeoutMs);
  return sessions?.toSorted((left, right) => right.mtime - left.mtime)[0]?.sessionId;
}

function loadFrom(
  store: SessionStore | undefined,
  key: SessionKey,
  timeoutMs: number | undefined,
): Promise<SessionStoreEntry[] | null> {
  return readFrom('load', async () => store?.load(key) ?? null, timeoutMs);
}
