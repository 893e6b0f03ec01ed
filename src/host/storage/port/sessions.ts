import type { SessionRef, SessionState, WakeOptions } from './conversation.js';

export interface StoredSession extends SessionRef {
  readonly state: SessionState;
  /** Why it is parked. */
  readonly reason?: string;
  /** Who has it. */
  readonly owner?: string;
  /** Entries of the inbox that nobody has acknowledged. */
  readonly inbox: number;
  /** The id of the last event. */
  readonly event: number;
  /** Milliseconds since 1970, by the storage's clock: when it was first written to, and last sent to or run. */
  readonly created: number;
  readonly changed: number;
}

export interface SessionQuery {
  tenant?: string | undefined;
  state?: SessionState | undefined;
  /** The last one of the page before. */
  after?: SessionRef | undefined;
  limit?: number | undefined;
}

/** All conversations, for people, limits and the engine of this process. */
export interface SessionStorage {
  /** By tenant, then name. */
  list(query?: SessionQuery): Promise<StoredSession[]>;
  get(ref: SessionRef): Promise<StoredSession | undefined>;
  /** How many there are in each state: of everybody, or of one tenant. */
  counts(tenant?: string): Promise<Record<SessionState, number>>;
  /** Releases a parked conversation, with its count of crashes at 0. False: it is not parked. */
  unpark(ref: SessionRef, options?: WakeOptions): Promise<boolean>;
  /** Deletes all that there is of a conversation. Rejects with `LEASE_HELD` while somebody has it. */
  remove(ref: SessionRef): Promise<void>;
}
