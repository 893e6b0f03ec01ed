import { createHash } from 'node:crypto';
import type { TransactionQuery } from '../port/conversation.js';

/** A statement that is used again and again. Where that can be, it is prepared once for each connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** The name says what it stands for: on a pool that is shared with another copy of this package, too. */
export function statement(text: string): Statement {
  return { name: `tenon_${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`, text };
}

export type SqlQuery = (
  statement: string | Statement,
  values?: readonly unknown[],
) => ReturnType<TransactionQuery>;

/**
 * What the storage needs of a database that speaks PostgreSQL. A server and PGlite are given the same statements. Who
 * implements it bounds every wait, and turns errors of the connection into a `StorageError`.
 */
export interface SqlDatabase {
  /** One statement, in a transaction of its own. */
  query: SqlQuery;
  /** All of `work`, or nothing if it rejects. `lock` is waited for before anything is looked at. */
  transaction<Result>(work: (query: SqlQuery) => Promise<Result>, lock?: string): Promise<Result>;
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
