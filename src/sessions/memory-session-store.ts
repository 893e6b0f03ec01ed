import { clock } from '../protocol/base/clock.js';
import type {
  SessionAppendOptions,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../protocol/wire/session-store.js';
import { checkFollows, lastEntryId } from './session-conflict.js';
import { foldSessionSummary } from './summary.js';

/** A store that lasts as long as the process, for tests and for conversations that need not be kept. */
export class InMemorySessionStore implements SessionStore {
  readonly #entries = new Map<string, SessionStoreEntry[]>();
  readonly #summaries = new Map<string, { projectKey: string; summary: SessionSummaryEntry }>();
  #lastTime = 0;

  async append(key: SessionKey, entries: SessionStoreEntry[], options?: SessionAppendOptions): Promise<void> {
    const name = nameOf(key);
    const stored = this.#entries.get(name) ?? [];
    checkFollows(key, lastEntryId(stored), entries, options);
    // Copied, because the caller may keep using its objects.
    for (const entry of structuredClone(entries)) stored.push(entry);
    this.#entries.set(name, stored);
    if (key.subpath !== undefined) return;
    const { projectKey } = key;
    const previous = this.#summaries.get(name)?.summary;
    // Always increasing, so that the order is known even within one millisecond.
    this.#lastTime = Math.max(clock.now(), this.#lastTime + 1);
    const summary = foldSessionSummary(previous, key, entries, { mtime: this.#lastTime });
    this.#summaries.set(name, { projectKey, summary });
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    return structuredClone(this.#entries.get(nameOf(key))) ?? null;
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    return this.#summariesOf(projectKey).map(({ sessionId, mtime }) => ({ sessionId, mtime }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    return structuredClone(this.#summariesOf(projectKey));
  }

  async delete(key: SessionKey): Promise<void> {
    const name = nameOf(key);
    this.#entries.delete(name);
    if (key.subpath !== undefined) return;
    this.#summaries.delete(name);
    for (const subpath of await this.listSubkeys(key)) this.#entries.delete(nameOf({ ...key, subpath }));
  }

  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    const start = nameOf({ projectKey, sessionId, subpath: '' });
    return [...this.#entries.keys()]
      .filter((name) => name.startsWith(start))
      .map((name) => name.slice(start.length));
  }

  /** For tests: the entries of a key. */
  getEntries(key: SessionKey): SessionStoreEntry[] {
    return structuredClone(this.#entries.get(nameOf(key))) ?? [];
  }

  /** For tests: how many conversations there are. */
  get size(): number {
    return this.#summaries.size;
  }

  /** For tests: removes everything. */
  clear(): void {
    this.#entries.clear();
    this.#summaries.clear();
  }

  #summariesOf(projectKey: string): SessionSummaryEntry[] {
    return [...this.#summaries.values()]
      .filter((each) => each.projectKey === projectKey)
      .map(({ summary }) => summary);
  }
}

/** JSON, because the parts of a key may contain any character. */
function nameOf({ projectKey, sessionId, subpath }: SessionKey): string {
  const main = JSON.stringify([projectKey, sessionId]);
  return subpath === undefined ? main : `${main}\n${subpath}`;
}
