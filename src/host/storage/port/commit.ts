import type { Lease, WakeOptions } from './conversation.js';

/** What a worker has to say about its conversation: all of it is stored, or nothing. */
export interface Commit {
  /** Events for readers, in order. */
  events?: readonly unknown[] | undefined;
  /** The numbers of entries of the inbox that are dealt with, in any order; twice is no error. */
  acknowledge?: readonly number[] | undefined;
  /** Pending questions that are no longer asked, by their keys. */
  withdraw?: readonly string[] | 'all' | undefined;
  /** Gives the conversation back. */
  release?: ReleaseOptions | undefined;
}

/** What becomes of a conversation when its worker is done with it. */
export interface ReleaseOptions extends WakeOptions {
  /**
   * `queued`: to be tried again. With `idle` it is queued too if something is left in the inbox, and with `waiting` if there
   * is an answer or an interrupt.
   */
  state: 'idle' | 'queued' | 'waiting' | 'parked';
  /** Why it is parked, for people. */
  reason?: string | undefined;
  /** If it is queued: not before so many milliseconds. */
  delayMs?: number | undefined;
}

export interface Committed {
  /** The id of the conversation's last event, 0 for none. */
  readonly event: number;
  /** What the conversation is now; without a release it is `running`. */
  readonly state: 'running' | ReleaseOptions['state'];
}

/**
 * For the holder of the lease. Of a release nothing that arrives at the same moment is left lying: it is either seen by this
 * call, and the conversation queued, or finds the conversation released, and queues it.
 */
export type CommitTo = (lease: Lease, commit: Commit) => Promise<Committed>;
