// A session store in PostgreSQL, for a `Pool` of the package `pg`. An append is one transaction that locks
// the row of its conversation, so that two machines that write to the same conversation take turns, and the
// second is told that it was not the only one.

import { foldSessionSummary, lastEntryId, SessionConflictError } from 'tenon';

/** Entries are text, not jsonb: jsonb cannot hold the NUL character, which a program's output may contain. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS tenon_sessions (
    project_key text NOT NULL, session_id text NOT NULL, subpath text NOT NULL,
    mtime bigint NOT NULL DEFAULT 0, summary text, last_entry text,
    PRIMARY KEY (project_key, session_id, subpath)
  );
  CREATE TABLE IF NOT EXISTS tenon_entries (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_key text NOT NULL, session_id text NOT NULL, subpath text NOT NULL, entry text NOT NULL,
    FOREIGN KEY (project_key, session_id, subpath) REFERENCES tenon_sessions ON DELETE CASCADE
  );
  CREATE INDEX IF NOT EXISTS tenon_entries_of ON tenon_entries (project_key, session_id, subpath, position);`;

const WHERE_KEY = 'project_key = $1 AND session_id = $2 AND subpath = $3';

/** @implements {Required<import('tenon').SessionStore>} */
export class PostgresSessionStore {
  #pool;

  /** @param {import('pg').Pool} pool */
  constructor(pool) {
    this.#pool = pool;
  }

  /** Called once, when the database is set up. */
  async createTables() {
    await this.#pool.query(TABLES);
  }

  /**
   * @param {import('tenon').SessionKey} key
   * @param {import('tenon').SessionStoreEntry[]} entries
   * @param {import('tenon').SessionAppendOptions} [options]
   */
  async append(key, entries, { after } = {}) {
    const { projectKey, sessionId, subpath = '' } = key;
    const values = [projectKey, sessionId, subpath];
    await this.#transaction(async (client) => {
      await client.query(
        'INSERT INTO tenon_sessions (project_key, session_id, subpath) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        values,
      );
      const { rows } = await client.query(
        `SELECT summary, last_entry, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
         FROM tenon_sessions WHERE ${WHERE_KEY} FOR UPDATE`,
        values,
      );
      const last = rows[0].last_entry;
      if (after !== undefined && last !== after && !entries.some(({ uuid }) => uuid === last))
        throw new SessionConflictError(key);
      const before =
        rows[0].summary === null ? undefined : { sessionId, mtime: 0, data: JSON.parse(rows[0].summary) };
      const { data } = foldSessionSummary(before, key, entries);
      await client.query(
        `UPDATE tenon_sessions SET mtime = $4, summary = $5, last_entry = $6 WHERE ${WHERE_KEY}`,
        [...values, rows[0].now, JSON.stringify(data), lastEntryId(entries) ?? last],
      );
      await client.query(
        `INSERT INTO tenon_entries (project_key, session_id, subpath, entry)
         SELECT $1, $2, $3, entry FROM unnest($4::text[]) WITH ORDINALITY AS given (entry, place) ORDER BY place`,
        [...values, entries.map((entry) => JSON.stringify(entry))],
      );
    });
  }

  /** @param {import('tenon').SessionKey} key */
  async load({ projectKey, sessionId, subpath = '' }) {
    const { rows } = await this.#pool.query(
      `SELECT entry FROM tenon_entries WHERE ${WHERE_KEY} ORDER BY position`,
      [projectKey, sessionId, subpath],
    );
    return rows.length === 0 ? null : rows.map(({ entry }) => JSON.parse(entry));
  }

  /** @param {string} projectKey */
  async listSessions(projectKey) {
    return (await this.listSessionSummaries(projectKey)).map(({ sessionId, mtime }) => ({
      sessionId,
      mtime,
    }));
  }

  /** @param {string} projectKey */
  async listSessionSummaries(projectKey) {
    const { rows } = await this.#pool.query(
      "SELECT session_id, mtime, summary FROM tenon_sessions WHERE project_key = $1 AND subpath = ''",
      [projectKey],
    );
    return rows.map((row) => ({
      sessionId: row.session_id,
      mtime: Number(row.mtime),
      data: JSON.parse(row.summary),
    }));
  }

  /** @param {{ projectKey: string, sessionId: string }} key */
  async listSubkeys({ projectKey, sessionId }) {
    const { rows } = await this.#pool.query(
      "SELECT subpath FROM tenon_sessions WHERE project_key = $1 AND session_id = $2 AND subpath <> ''",
      [projectKey, sessionId],
    );
    return rows.map(({ subpath }) => subpath);
  }

  /** @param {import('tenon').SessionKey} key */
  async delete({ projectKey, sessionId, subpath }) {
    const own = 'DELETE FROM tenon_sessions WHERE project_key = $1 AND session_id = $2';
    if (subpath === undefined) await this.#pool.query(own, [projectKey, sessionId]);
    else await this.#pool.query(`${own} AND subpath = $3`, [projectKey, sessionId, subpath]);
  }

  /** @param {(client: import('pg').PoolClient) => Promise<void>} work */
  async #transaction(work) {
    const client = await this.#pool.connect();
    try {
      await client.query('BEGIN');
      await work(client);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    } finally {
      client.release();
    }
  }
}
