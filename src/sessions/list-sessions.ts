import { clock } from '../protocol/base/clock.js';
import { OptionError } from '../protocol/base/errors.js';
import { LIMITS } from '../protocol/base/limits.js';
import type { SessionStore, SessionStoreEntry } from '../protocol/wire/session-store.js';
import { readArchived } from './archive.js';
import { readEdges } from './edges.js';
import { withFile } from './entries.js';
import { promptWords } from './first-prompt.js';
import { page } from './page.js';
import { projectKeyAt } from './places.js';
import { isSessionId } from './project-key.js';
import type { GetSessionInfoOptions, ListSessionsOptions, SDKSessionInfo } from './session-info.js';
import { callStore } from './store-calls.js';
import { foldSessionSummary, infoOf } from './summary.js';
import { findTranscript, findTranscripts, type TranscriptFile } from './transcript-files.js';

export async function listSessions(options: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  const { dir, sessionStore, limit, offset } = options;
  if (sessionStore != null) return page(await listStore(sessionStore, dir), { limit, offset });
  const files = await findTranscripts(dir, options.includeWorktrees ?? true);
  // Opens only as many as requested: there may be thousands.
  const wanted = limit !== undefined && limit > 0 ? (offset ?? 0) + limit : Number.POSITIVE_INFINITY;
  const found: SDKSessionInfo[] = [];
  for (let next = 0; next < files.length && found.length < wanted; next += LIMITS.transcriptsAtOnce) {
    const some = files.slice(next, next + LIMITS.transcriptsAtOnce);
    const infos = await Promise.all(some.map((file) => describe(file, options.includeProgrammatic ?? true)));
    found.push(...infos.filter((info) => info !== undefined));
  }
  return page(found, { limit, offset });
}

export async function getSessionInfo(
  sessionId: string,
  { dir, sessionStore }: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  if (!isSessionId(sessionId)) return undefined;
  if (sessionStore != null) {
    return describeStored(sessionStore, { projectKey: await projectKeyAt(dir), sessionId }, clock.now());
  }
  const file = await findTranscript(sessionId, dir);
  return file && describe(file, true);
}

/** Entry points of SDKs: a program started the conversation. */
const PROGRAMMATIC: ReadonlySet<unknown> = new Set(['sdk-cli', 'sdk-ts', 'sdk-py']);

async function describe(file: TranscriptFile, programmatic: boolean): Promise<SDKSessionInfo | undefined> {
  const entries = await withFile(file.path, (handle) => readEdges(handle, file.size));
  // It was deleted in the meantime.
  if (entries === undefined) return undefined;
  const entrypoint = entries.find((entry) => typeof entry.entrypoint === 'string')?.entrypoint;
  if (!programmatic && PROGRAMMATIC.has(entrypoint)) return undefined;
  const info = infoOf(foldSessionSummary(undefined, keyOf(file), entries, { mtime: file.mtimeMs }));
  if (info === undefined) return undefined;
  const archived = await readArchived(file, lastPromptAt(entries));
  return { ...info, fileSize: file.size, ...(archived === undefined ? {} : { archived }) };
}

const keyOf = ({ sessionId }: TranscriptFile) => ({ projectKey: '', sessionId });

function lastPromptAt(entries: readonly SessionStoreEntry[]): number {
  const last = entries.findLast((entry) => promptWords(entry).prompt !== undefined);
  return last?.timestamp === undefined ? 0 : Date.parse(last.timestamp);
}

async function listStore(store: SessionStore, dir: string | undefined): Promise<SDKSessionInfo[]> {
  const projectKey = await projectKeyAt(dir);
  const infos = await infosIn(store, projectKey);
  return infos.sort((left, right) => right.lastModified - left.lastModified);
}

async function infosIn(store: SessionStore, projectKey: string): Promise<SDKSessionInfo[]> {
  if (store.listSessionSummaries !== undefined) {
    const summaries = await callStore(
      'listSessionSummaries',
      async () => store.listSessionSummaries?.(projectKey) ?? [],
    );
    return summaries.map(infoOf).filter((info) => info !== undefined);
  }
  if (store.listSessions === undefined) {
    throw new OptionError(
      'sessionStore',
      store,
      'listSessions(): this sessionStore has no listSessions(), so its conversations cannot be listed. Add that method.',
    );
  }
  const infos: SDKSessionInfo[] = [];
  const sessions = await callStore('listSessions', async () => store.listSessions?.(projectKey) ?? []);
  for (let next = 0; next < sessions.length; next += LIMITS.transcriptsAtOnce) {
    const some = sessions.slice(next, next + LIMITS.transcriptsAtOnce);
    const found = await Promise.all(
      some.map(({ sessionId, mtime }) => describeStored(store, { projectKey, sessionId }, mtime)),
    );
    infos.push(...found.filter((info) => info !== undefined));
  }
  return infos;
}

async function describeStored(
  store: SessionStore,
  key: { projectKey: string; sessionId: string },
  mtime: number,
): Promise<SDKSessionInfo | undefined> {
  const entries = await callStore('load', () => store.load(key));
  return entries == null ? undefined : infoOf(foldSessionSummary(undefined, key, entries, { mtime }));
}
