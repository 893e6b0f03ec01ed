import type { Lease, SessionRef } from './conversation.js';

export interface AcquireOptions {
  /** Names the worker, for people who look at lists. */
  owner: string;
  /** How long it lasts without a renewal, by the storage's clock. */
  ttlMs: number;
  /** A conversation that has lost so many holders in a row is parked instead. Default: never. */
  maxCrashes?: number | undefined;
}

/** `forMs`: how long the other's lease still lasts. */
export type Acquired =
  | { lease: Lease }
  | { lease?: undefined; refused: 'held'; forMs: number }
  | { lease?: undefined; refused: 'parked'; reason: string }
  | { lease?: undefined; refused: 'unknown' };

export interface ClaimOptions extends AcquireOptions {
  /** At most so many. */
  count: number;
  /** How many conversations may run at once, with those of all other workers: of everybody, and of each tenant. */
  running?: number | undefined;
  perTenant?: number | undefined;
  /**
   * Of conversations that have lost `crashes` holders in a row, at most `count`: one of them may be the reason, and takes
   * all others down that run beside it. Default: any number.
   */
  suspects?: { readonly crashes: number; readonly count: number } | undefined;
}

/** One writer for each conversation, until it commits a release. Every clock is the storage's own; that of a worker is never asked. */
export interface LeaseStorage {
  /** Takes a conversation if nobody has it, or its holder's time is over. For engines that say which one to wake. */
  acquire(ref: SessionRef, options: AcquireOptions): Promise<Acquired>;
  /**
   * Takes the conversations that come next, each tenant in turn: the one with the fewest running comes first, among equals the
   * one whose last turn is longest ago, and of its conversations the one that has waited longest. Limits hold over all workers
   * that claim.
   */
  claim(options: ClaimOptions): Promise<Lease[]>;
  /** Prolongs leases, and returns those that are lost. To be called well before they end; one call for all of a worker's. */
  renew(leases: readonly Lease[], options: { ttlMs: number }): Promise<Lease[]>;
}
