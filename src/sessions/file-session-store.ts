import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type {
  SessionAppendOptions,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../protocol/wire/session-store.js';
import { appendLines } from './append-lines.js';
import { readEdges, readLastId } from './edges.js';
import { entriesOf, withFile } from './entries.js';
import { withLock } from './file-lock.js';
import { checkFollows } from './session-conflict.js';
import { foldSessionSummary } from './summary.js';
import { namesIn } from './transcript-files.js';

const EXTENSION = '.jsonl';

/** The implementation of `fileSessionStore`. */
export class FileSessionStore implements Required<SessionStore> {
  readonly #directory: string;
  /** The last append to each file, which the next one waits for: appends keep the order of the calls. */
  readonly #appending = new Map<string, Promise<void>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  append(key: SessionKey, entries: SessionStoreEntry[], options?: SessionAppendOptions): Promise<void> {
    const path = this.#pathOf(key);
    const append = async (): Promise<void> => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await withLock(path, async () => {
        if (options?.after !== undefined) checkFollows(key, await lastIdOf(path), entries, options);
        await appendLines(path, entries);
      });
    };
    const appended = (this.#appending.get(path) ?? Promise.resolve()).then(append);
    const settled = appended.catch(() => {});
    this.#appending.set(path, settled);
    void settled.then(() => {
      if (this.#appending.get(path) === settled) this.#appending.delete(path);
    });
    return appended;
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const entries = await withFile(this.#pathOf(key), async (file) => {
      const found: SessionStoreEntry[] = [];
      for await (const { entry } of entriesOf(file)) found.push(entry);
      return found;
    });
    return entries ?? null;
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    const sessions = await this.#sessionsOf(projectKey, async (file) => (await file.stat()).mtime.getTime());
    return sessions.map(([sessionId, mtime]) => ({ sessionId, mtime }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const sessions = await this.#sessionsOf(projectKey, async (file) => {
      const { size, mtime } = await file.stat();
      return { entries: await readEdges(file, size), mtime: mtime.getTime() };
    });
    return sessions.map(([sessionId, { entries, mtime }]) =>
      foldSessionSummary(undefined, { projectKey, sessionId }, entries, { mtime }),
    );
  }

  async delete(key: SessionKey): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
    if (key.subpath === undefined) await rm(this.#folderOf(key), { recursive: true, force: true });
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    const folder = this.#folderOf(key);
    const names = await namesIn(folder, true);
    return names
      .filter((entry) => entry.isFile() && entry.name.endsWith(EXTENSION))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).slice(0, -EXTENSION.length))
      .flatMap((path) => decoded(path.split(sep).join('/')) ?? []);
  }

  #folderOf({ projectKey, sessionId }: { projectKey: string; sessionId: string }): string {
    return join(this.#directory, safe(projectKey), safe(sessionId));
  }

  #pathOf(key: SessionKey): string {
    const folder = this.#folderOf(key);
    return key.subpath === undefined
      ? folder + EXTENSION
      : join(folder, ...key.subpath.split('/').map(safe)) + EXTENSION;
  }

  async #sessionsOf<Found>(
    projectKey: string,
    read: (file: Parameters<Parameters<typeof withFile>[1]>[0]) => Promise<Found>,
  ): Promise<[sessionId: string, Found][]> {
    const folder = join(this.#directory, safe(projectKey));
    const found: [string, Found][] = [];
    for (const entry of await namesIn(folder)) {
      if (!entry.name.endsWith(EXTENSION) || entry.isDirectory()) continue;
      const sessionId = decoded(entry.name.slice(0, -EXTENSION.length));
      if (sessionId === undefined) continue;
      const answer = await withFile(join(folder, entry.name), read);
      if (answer !== undefined) found.push([sessionId, answer]);
    }
    return found;
  }
}

/** A name that stays inside its folder and is unique to its key; the CLI's keys are unchanged. */
function safe(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /[^A-Za-z0-9_%-]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}

/** The reverse; undefined for a name that does not come from a key. */
function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

function lastIdOf(path: string): Promise<string | undefined> {
  return withFile(path, async (file) => readLastId(file, (await file.stat()).size));
}
