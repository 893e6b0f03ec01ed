import { bounded, storageError } from './failures.js';
import type { Row, SqlDatabase, SqlQuery } from './sql.js';
import { advisoryLock } from './statements.js';

interface PGliteQueries {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** What is needed of a `PGlite`. */
export interface PGliteClient extends PGliteQueries {
  transaction<Result>(work: (transaction: PGliteQueries) => Promise<Result>): Promise<Result>;
  listen(channel: string, callback: (payload: string) => void): Promise<() => Promise<void>>;
}

const ignore = (): void => {};

/** PostgreSQL in this process. The client stays the caller's, unless `end` is given: then nobody else has it. */
export function onPGlite(client: PGliteClient, end?: () => Promise<void>): SqlDatabase {
  const over =
    (queries: PGliteQueries): SqlQuery =>
    async (statement, values) => {
      const text = typeof statement === 'string' ? statement : statement.text;
      const { rows } = await queries.query(text, values === undefined ? undefined : [...values]);
      return { rows: rows as Row[] };
    };
  const waited = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await bounded(work, ignore);
    } catch (error) {
      throw storageError(error);
    }
  };
  return {
    query: (statement, values) => waited(over(client)(statement, values)),
    transaction: (work, lock) =>
      waited(
        client.transaction(async (transaction) => {
          if (lock !== undefined) await transaction.query(advisoryLock(lock));
          return work(over(transaction));
        }),
      ),
    ...(end === undefined
      ? {
          listen: (channel: string, onPayload: (payload: string) => void) =>
            waited(client.listen(channel, onPayload)),
        }
      : { isOwn: true }),
    close: async () => end?.(),
  };
}
