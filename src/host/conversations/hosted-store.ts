import { TenonError } from '../../protocol/base/errors.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/wire/session-store.js';
import { REPLACES_FILES } from '../../sessions/replaces-files.js';
import { lastEntryId } from '../../sessions/session-conflict.js';
import type { Lease } from '../storage/port/conversation.js';
import type { HostStorage } from '../storage/port/storage.js';

/**
 * All transcripts of a conversation are under one key, whatever directory its agent works in: else a program that moves would
 * not find them again.
 */
export const PROJECT_KEY = 'host';

/** The transcript of a conversation. */
export interface Stored {
  readonly sessionId: string;
  readonly entries: SessionStoreEntry[];
}

/** The store of one agent. An agent outlives leases; what it writes carries the one that it works under. */
export class HostedStore implements Required<SessionStore> {
  /** Why the last write was not stored. */
  failure: unknown;
  /** The files of the CLI on this machine are copies, and may be those of a process that has lost its conversation. */
  readonly [REPLACES_FILES] = true;
  /** Called when entries are stored. */
  onStored: (key: SessionKey, entries: readonly SessionStoreEntry[]) => void = () => {};
  readonly #storage: HostStorage;
  #bound: Required<SessionStore> | undefined;
  #isAtRest = false;
  /** Read before the agent has asked for it. */
  #loaded: Stored | undefined;

  /** Without a lease it has no conversation until it is bound to one. */
  constructor(storage: HostStorage, lease?: Lease) {
    this.#storage = storage;
    if (lease !== undefined) this.bind(lease);
  }

  bind(lease: Lease): void {
    this.#bound = this.#storage.transcript(lease);
    this.#isAtRest = false;
    this.failure = undefined;
  }

  /** The lease is given back. */
  rest(): void {
    this.#isAtRest = true;
  }

  /** The conversation as it is now, if there is one; the agent need not read it again. */
  async newest(): Promise<Stored | undefined> {
    this.#loaded = await newestTranscript(this.#store);
    return this.#loaded;
  }

  async append(
    key: SessionKey,
    entries: SessionStoreEntry[],
    options?: { after?: string | null | undefined },
  ) {
    // A process that ends says what it has cost. It is no part of the conversation, and nobody's to write any more.
    if (this.#isAtRest && lastEntryId(entries) === undefined) return;
    this.#loaded = undefined;
    try {
      await this.#store.append(hosted(key), entries, options);
      this.failure = undefined;
      this.onStored(key, entries);
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

  get #store(): Required<SessionStore> {
    if (this.#bound !== undefined) return this.#bound;
    throw new TenonError('CLOSED', 'The agent has no conversation yet: nothing can be stored.');
  }
}

/** A conversation may have several transcripts, such as after `/clear`: the one that was written last counts. */
export async function newestTranscript(store: Required<SessionStore>): Promise<Stored | undefined> {
  const sessions = await store.listSessions(PROJECT_KEY);
  const newest = sessions.toSorted((left, right) => right.mtime - left.mtime)[0];
  if (newest === undefined) return undefined;
  const { sessionId } = newest;
  return { sessionId, entries: (await store.load({ projectKey: PROJECT_KEY, sessionId })) ?? [] };
}

function hosted<Key extends { projectKey: string }>(key: Key): Key {
  return { ...key, projectKey: PROJECT_KEY };
}
