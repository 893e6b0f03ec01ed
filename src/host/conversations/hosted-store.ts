import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/wire/session-store.js';
import type { Lease } from '../storage/port/conversation.js';
import type { HostStorage } from '../storage/port/storage.js';

/**
 * All transcripts of a conversation are under one key, whatever directory its agent works in: else a program that moves would
 * not find them again.
 */
export const PROJECT_KEY = 'host';

/** The store of one agent. An agent outlives leases; what it writes carries the one that it works under. */
export class HostedStore implements Required<SessionStore> {
  /** Why the last write was not stored. */
  failure: unknown;
  readonly #storage: HostStorage;
  #store: Required<SessionStore>;
  /** Read before the agent has asked for it. */
  #loaded: { sessionId: string; entries: SessionStoreEntry[] } | undefined;

  constructor(storage: HostStorage, lease: Lease) {
    this.#storage = storage;
    this.#store = storage.transcript(lease);
  }

  bind(lease: Lease): void {
    this.#store = this.#storage.transcript(lease);
    this.failure = undefined;
  }

  /** The conversation as it is now, if there is one; the agent need not read it again. */
  async newest(): Promise<{ sessionId: string; entries: SessionStoreEntry[] } | undefined> {
    this.#loaded = await newestTranscript(this.#store);
    return this.#loaded;
  }

  async append(
    key: SessionKey,
    entries: SessionStoreEntry[],
    options?: { after?: string | null | undefined },
  ) {
    this.#loaded = undefined;
    try {
      await this.#store.append(hosted(key), entries, options);
      this.failure = undefined;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const loaded = this.#loaded;
    if (loaded === undefined || key.subpath !== undefined || key.sessionId !== loaded.sessionId)
      return this.#store.load(hosted(key));
    this.#loaded = undefined;
    return loaded.entries;
  }

  listSessions() {
    return this.#store.listSessions(PROJECT_KEY);
  }

  listSessionSummaries() {
    return this.#store.listSessionSummaries(PROJECT_KEY);
  }

  delete(key: SessionKey) {
    return this.#store.delete(hosted(key));
  }

  listSubkeys(key: SessionKey) {
    return this.#store.listSubkeys(hosted(key));
  }
}

/** A conversation may have several transcripts, such as after `/clear`: the one that was written last counts. */
export async function newestTranscript(
  store: Required<SessionStore>,
): Promise<{ sessionId: string; entries: SessionStoreEntry[] } | undefined> {
  const sessions = await store.listSessions(PROJECT_KEY);
  const newest = sessions.toSorted((left, right) => right.mtime - left.mtime)[0];
  if (newest === undefined) return undefined;
  const { sessionId } = newest;
  return { sessionId, entries: (await store.load({ projectKey: PROJECT_KEY, sessionId })) ?? [] };
}

function hosted<Key extends { projectKey: string }>(key: Key): Key {
  return { ...key, projectKey: PROJECT_KEY };
}
