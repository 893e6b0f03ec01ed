// A PostgreSQL server, reached by its URL.

import pg from 'pg';
import { askReadOnly, LIMITS } from './read-only.mjs';

/** How much longer than the database we wait ourselves, in case the server silently disappears. */
const GRACE_MS = 5_000;

/**
 * @param {string} url
 * @returns {Promise<import('./database.mjs').Database>}
 */
export async function openServer(url) {
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: 10_000,
    query_timeout: LIMITS.timeoutMs + GRACE_MS,
  });
  // The pool replaces an idle connection that breaks; without a listener the error would end the program.
  pool.on('error', () => {});
  const { rows } = await pool.query(
    'SELECT session_user AS name, rolsuper AS is_super FROM pg_roles WHERE rolname = session_user',
  );
  if (rows[0]?.is_super) {
    await pool.end();
    throw new Error(
      `DATABASE_URL logs in as the superuser "${rows[0].name}". A read-only transaction does not keep a superuser from the files of the ` +
        "server. Create a role that can only read: CREATE ROLE reader LOGIN PASSWORD '…'; GRANT pg_read_all_data TO reader;",
    );
  }
  return {
    name: 'a PostgreSQL server',
    ask: async (sql, limits) => {
      const client = await pool.connect();
      let isBroken = true;
      try {
        const answer = await askReadOnly((text) => execute(client, text), sql, { ...LIMITS, ...limits });
        isBroken = false;
        return answer;
      } catch (error) {
        isBroken = !(error instanceof pg.DatabaseError);
        throw error;
      } finally {
        // After any other error than the database's own answer, the state of the connection is unknown.
        client.release(isBroken);
      }
    },
    close: () => pool.end(),
  };
}

/**
 * @param {import('pg').PoolClient} client
 * @param {string} text
 */
function execute(client, text) {
  // The simple protocol would run several statements in one text. The typings do not know the option yet.
  return client.query(/** @type {import('pg').QueryConfig} */ ({ text, queryMode: 'extended' }));
}
