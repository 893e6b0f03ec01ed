/** Which conversation. Both parts are names that the program chooses: up to 256 characters, no control characters. */
export interface SessionRef {
  tenant: string;
  session: string;
}

/**
 * The right to write to one conversation. Plain data: it may be passed to another thread or process of the same
 * worker. It stays valid until it is released or somebody else takes over, which only the storage's clock permits.
 */
export interface Lease extends SessionRef {
  /** Grows with every lease of the storage. A write that carries an older one is refused with `LEASE_LOST`. */
  readonly fence: number;
  /** Who holds it, as given to `acquire`. */
  readonly owner: string;
  /**
   * The fence of the lease before this one, 0 for the first. Who had that one itself knows that nobody has written
   * in between, and that what it still has in memory is current.
   */
  readonly previous: number;
  /** How often in a row the holder before was gone without a release. */
  readonly crashes: number;
}

/**
 * - `idle`: nothing to do.
 * - `queued`: something is in the inbox, or a worker was lost; the next free worker may take it.
 * - `running`: a worker has it.
 * - `waiting`: for an answer to an approval. Prompts that arrive meanwhile wait too; an answer or an interrupt queues it.
 * - `parked`: for somebody to look at it (`unpark`). Nothing runs, and what is sent to it waits.
 */
export type SessionState = 'idle' | 'queued' | 'running' | 'waiting' | 'parked';

/** Runs statements in the transaction of the call that it was given to. Has the shape of `query` of `pg` and PGlite. */
export type TransactionQuery = (
  text: string,
  values?: readonly unknown[],
) => Promise<{ rows: Record<string, unknown>[] }>;

/**
 * Called when a conversation has become `queued`, in the same transaction: what it writes with `query` is stored with
 * the change or not at all, and if it fails, so does the call. In memory there is no `query`.
 */
export type Wake = (ref: SessionRef, query: TransactionQuery | undefined) => void | Promise<void>;

export interface WakeOptions {
  wake?: Wake | undefined;
}
