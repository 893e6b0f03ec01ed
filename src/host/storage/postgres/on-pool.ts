import type { TransactionQuery } from '../port/conversation.js';
import { bounded, sqlState, storageError } from './failures.js';
import type { SqlDatabase } from './sql.js';

/** A connection of `pg`. */
export interface PgPoolClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  release(broken?: Error | boolean): void;
  on(event: 'error' | 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown;
  removeAllListeners(event: 'notification'): unknown;
  removeListener(event: 'error' | 'end', listener: () => void): unknown;
}

/** What is needed of a `Pool` of `pg`. */
export interface PgPool {
  connect(): Promise<PgPoolClient>;
  on(event: 'error', listener: () => void): unknown;
  options?: { max?: number | undefined };
}

const ignore = (): void => {};

/**
 * A pool replaces an idle connection that breaks, but without a listener the error ends the program. It has one from us, once
 * and for good: connections still break while the pool is ended.
 */
const tended = new WeakSet<PgPool>();

/** A PostgreSQL server. The pool stays the caller's, unless `end` is given. */
export function onPool(pool: PgPool, end: () => Promise<void> = async () => {}): SqlDatabase {
  if (!tended.has(pool)) pool.on('error', ignore);
  tended.add(pool);
  const listen: SqlDatabase['listen'] = async (channel, onPayload, onLost) => {
    const client = await connected(pool);
    let isOver = false;
    const over = (broken: boolean): void => {
      if (isOver) return;
      isOver = true;
      client.removeAllListeners('notification');
      client.removeListener('error', lost);
      client.removeListener('end', lost);
      // It still listens: nobody else may have it.
      client.release(true);
      if (broken) onLost();
    };
    const lost = (): void => over(true);
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => void (payload !== undefined && onPayload(payload)));
    try {
      await bounded(client.query(`LISTEN ${channel}`), () => over(false));
    } catch (error) {
      over(false);
      throw storageError(error);
    }
    return async () => over(false);
  };
  return {
    query: (text, values) => withClient(pool, (query) => query(text, values)),
    transaction: (work) => withClient(pool, (query) => inTransaction(query, work)),
    // The connection that listens is taken for good: a pool of one would have none left.
    ...((pool.options?.max ?? 2) > 1 && { listen }),
    close: end,
  };
}

async function inTransaction<Result>(
  query: TransactionQuery,
  work: (query: TransactionQuery) => Promise<Result>,
): Promise<Result> {
  await query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    const result = await work(query);
    await query('COMMIT');
    return result;
  } catch (error) {
    // Where that fails too, the connection is given up, and the transaction with it.
    await query('ROLLBACK').catch(ignore);
    throw error;
  }
}

async function withClient<Result>(
  pool: PgPool,
  work: (query: TransactionQuery) => Promise<Result>,
): Promise<Result> {
  const client = await connected(pool);
  let isReleased = false;
  const release = (isBroken: boolean): void => {
    if (isReleased) return;
    isReleased = true;
    client.removeListener('error', ignore);
    client.release(isBroken);
  };
  // A connection that breaks says so apart from the statement that fails with it.
  client.on('error', ignore);
  let isBroken = false;
  const query: TransactionQuery = async (text, values) => {
    try {
      return await client.query(text, values === undefined ? undefined : [...values]);
    } catch (error) {
      // After any other error than the database's own answer, the state of the connection is unknown.
      isBroken ||= sqlState(error) === undefined || sqlState(error)?.startsWith('57P') === true;
      throw error;
    }
  };
  try {
    return await bounded(work(query), () => release(true));
  } catch (error) {
    throw storageError(error);
  } finally {
    release(isBroken);
  }
}

/** A connection that comes too late is given back. */
async function connected(pool: PgPool): Promise<PgPoolClient> {
  let isLate = false;
  const connecting = pool.connect();
  connecting.then((client) => isLate && client.release(), ignore);
  try {
    return await bounded(connecting, () => {
      isLate = true;
    });
  } catch (error) {
    throw storageError(error);
  }
}
