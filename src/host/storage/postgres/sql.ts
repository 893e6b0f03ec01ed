import type { TransactionQuery } from '../port/conversation.js';

/**
 * What the storage needs of a database that speaks PostgreSQL. A server and PGlite are given the same statements. Who
 * implements it bounds every wait, and turns errors of the connection into a `StorageError`.
 */
export interface SqlDatabase {
  /** One statement, in a transaction of its own. */
  query: TransactionQuery;
  /** All of `work`, or nothing if it rejects. */
  transaction<Result>(work: (query: TransactionQuery) => Promise<Result>): Promise<Result>;
  /**
   * Calls back with what other programs say. Resolves when it hears; `onLost` is called at most once, when it no longer does.
   * Undefined where that is not possible.
   */
  listen?(
    channel: string,
    onPayload: (payload: string) => void,
    onLost: () => void,
  ): Promise<() => Promise<void>>;
  /** Nobody else can write to it, so that there is nothing to hear or to look for. */
  readonly isOwn?: boolean;
  /** Ends what it has opened itself. */
  close(): Promise<void>;
}

export type Row = Record<string, unknown>;

/** `pg` gives eight-byte integers as texts, PGlite as numbers. Ours stay far below what a number can hold. */
export function numberIn(row: Row | undefined, column: string): number {
  return Number(row?.[column] ?? 0);
}

export function textIn(row: Row | undefined, column: string): string | undefined {
  const value = row?.[column];
  return typeof value === 'string' ? value : undefined;
}
