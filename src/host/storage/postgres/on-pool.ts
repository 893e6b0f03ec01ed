import { bounded, sqlState, storageError } from './failures.js';
import type { Row, SqlDatabase, SqlQuery, Statement } from './sql.js';
import { advisoryLock } from './statements.js';

/** A connection of `pg`. */
export interface PgPoolClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
  query(prepared: { name: string; text: string; values: unknown[] }): Promise<{ rows: Row[] }>;
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

interface PoolOptions {
  /** Default: true. */
  isPreparing?: boolean | undefined;
  /** Ends the pool; without it, it stays the caller's. */
  end?: (() => Promise<void>) | undefined;
}

/** A PostgreSQL server. */
export function onPool(pool: PgPool, { isPreparing = true, end }: PoolOptions = {}): SqlDatabase {
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
    query: (statement, values) => withClient(pool, isPreparing, (query) => query(statement, values)),
    transaction: (work, lock) => withClient(pool, isPreparing, (query) => inTransaction(query, work, lock)),
    // The connection that listens is taken for good: a pool of one would have none left.
    ...((pool.options?.max ?? 2) > 1 && { listen }),
    close: async () => end?.(),
  };
}

async function inTransaction<Result>(
  query: SqlQuery,
  work: (query: SqlQuery) => Promise<Result>,
  lock: string | undefined,
): Promise<Result> {
  const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED';
  // Two statements, one way there and back. What is looked at then is looked at after the wait for the lock.
  await query(lock === undefined ? begin : `${begin}; ${advisoryLock(lock)}`);
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

/** The bound is for all of it, the wait for a connection included. */
async function withClient<Result>(
  pool: PgPool,
  isPreparing: boolean,
  work: (query: SqlQuery) => Promise<Result>,
): Promise<Result> {
  let client: PgPoolClient | undefined;
  let isBroken = false;
  let isOver = false;
  const release = (): void => {
    isOver = true;
    client?.removeListener('error', ignore);
    client?.release(isBroken);
    client = undefined;
  };
  const run = async (): Promise<Result> => {
    const connected = await pool.connect();
    if (isOver) return tooLate(connected);
    client = connected;
    // A connection that breaks says so apart from the statement that fails with it.
    client.on('error', ignore);
    return work(async (statement, values) => {
      try {
        return await send(connected, isPreparing, statement, values);
      } catch (error) {
        // After any other error than the database's own answer, the state of the connection is unknown.
        isBroken ||= sqlState(error) === undefined || sqlState(error)?.startsWith('57P') === true;
        throw error;
      }
    });
  };
  try {
    return await bounded(run(), () => {
      isBroken = true;
      release();
    });
  } catch (error) {
    throw storageError(error);
  } finally {
    release();
  }
}

function send(
  client: PgPoolClient,
  isPreparing: boolean,
  statement: string | Statement,
  values: readonly unknown[] | undefined,
): Promise<{ rows: Row[] }> {
  const given = values === undefined ? undefined : [...values];
  if (typeof statement === 'string') return client.query(statement, given);
  const { name, text } = statement;
  return isPreparing ? client.query({ name, text, values: given ?? [] }) : client.query(text, given);
}

/** Nobody waits for it any longer. */
function tooLate(client: PgPoolClient): never {
  client.release();
  throw new Error('The connection came too late.');
}

async function connected(pool: PgPool): Promise<PgPoolClient> {
  const connecting = pool.connect();
  try {
    // One that comes too late is given back.
    return await bounded(connecting, () => void connecting.then((client) => client.release(), ignore));
  } catch (error) {
    throw storageError(error);
  }
}
