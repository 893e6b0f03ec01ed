// A session store in a SQLite file. Each append is one transaction.

import Database from 'libsql';
import { foldSessionSummary, lastEntryId, SessionConflictError } from 'tenon';

const TABLES = `
  CREATE TABLE IF NOT EXISTS entries (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    project_key TEXT NOT NULL, session_id TEXT NOT NULL, subpath TEXT NOT NULL, entry TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS entries_of ON entries (project_key, session_id, subpath, position);
  CREATE TABLE IF NOT EXISTS sessions (
    project_key TEXT NOT NULL, session_id TEXT NOT NULL, mtime INTEGER NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (project_key, session_id)
  );`;

/** @implements {Required<import('tenon').SessionStore>} */
export class SqliteSessionStore {
  #database;
  #lastTime = 0;

  /** @param {string} file */
  constructor(file) {
    this.#database = new Database(file);
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000;');
    this.#database.exec(TABLES);
  }

  /**
   * @param {import('tenon').SessionKey} key
   * @param {import('tenon').SessionStoreEntry[]} entries
   * @param {import('tenon').SessionAppendOptions} [options]
   */
  async append(key, entries, { after } = {}) {
    const { projectKey, sessionId, subpath = '' } = key;
    const insert = this.#database.prepare(
      'INSERT INTO entries (project_key, session_id, subpath, entry) VALUES (?, ?, ?, ?)',
    );
    // `immediate` takes the write lock before anything is compared.
    const append = this.#database.transaction(() => {
      const last = after === undefined ? after : this.#lastEntryId(projectKey, sessionId, subpath);
      if (last !== after && !entries.some(({ uuid }) => uuid === last)) throw new SessionConflictError(key);
      for (const entry of entries) insert.run(projectKey, sessionId, subpath, JSON.stringify(entry));
      if (subpath === '') this.#summarise(key, entries);
    });
    append.immediate();
  }

  /** @param {import('tenon').SessionKey} key */
  async load({ projectKey, sessionId, subpath = '' }) {
    const rows = this.#database
      .prepare(
        'SELECT entry FROM entries WHERE project_key = ? AND session_id = ? AND subpath = ? ORDER BY position',
      )
      .all(projectKey, sessionId, subpath);
    return rows.length === 0 ? null : rows.map((/** @type {any} */ { entry }) => JSON.parse(entry));
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
    return this.#database
      .prepare('SELECT session_id, mtime, data FROM sessions WHERE project_key = ?')
      .all(projectKey)
      .map((/** @type {any} */ row) => ({
        sessionId: row.session_id,
        mtime: row.mtime,
        data: JSON.parse(row.data),
      }));
  }

  /** @param {{ projectKey: string, sessionId: string }} key */
  async listSubkeys({ projectKey, sessionId }) {
    return this.#database
      .prepare(
        "SELECT DISTINCT subpath FROM entries WHERE project_key = ? AND session_id = ? AND subpath <> ''",
      )
      .all(projectKey, sessionId)
      .map((/** @type {any} */ { subpath }) => subpath);
  }

  /** @param {import('tenon').SessionKey} key */
  async delete({ projectKey, sessionId, subpath }) {
    this.#database.transaction(() => {
      if (subpath === undefined) {
        this.#run('DELETE FROM entries WHERE project_key = ? AND session_id = ?', projectKey, sessionId);
        this.#run('DELETE FROM sessions WHERE project_key = ? AND session_id = ?', projectKey, sessionId);
      } else {
        const own = 'DELETE FROM entries WHERE project_key = ? AND session_id = ? AND subpath = ?';
        this.#run(own, projectKey, sessionId, subpath);
      }
    })();
  }

  close() {
    this.#database.close();
  }

  /** @param {string[]} key */
  #lastEntryId(...key) {
    const rows = this.#database
      .prepare(
        'SELECT entry FROM entries WHERE project_key = ? AND session_id = ? AND subpath = ? ORDER BY position DESC',
      )
      .iterate(...key);
    for (const row of rows) {
      const id = lastEntryId([JSON.parse(/** @type {any} */ (row).entry)]);
      if (id !== undefined) return id;
    }
    return null;
  }

  /**
   * @param {import('tenon').SessionKey} key
   * @param {import('tenon').SessionStoreEntry[]} entries
   */
  #summarise(key, entries) {
    const { projectKey, sessionId } = key;
    const row = /** @type {any} */ (
      this.#database
        .prepare('SELECT mtime, data FROM sessions WHERE project_key = ? AND session_id = ?')
        .get(projectKey, sessionId)
    );
    const before = row && { sessionId, mtime: row.mtime, data: JSON.parse(row.data) };
    // Always increasing, so that conversations within one millisecond keep their order.
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    const { mtime, data } = foldSessionSummary(before, key, entries, { mtime: this.#lastTime });
    const write =
      'INSERT OR REPLACE INTO sessions (project_key, session_id, mtime, data) VALUES (?, ?, ?, ?)';
    this.#run(write, projectKey, sessionId, mtime, JSON.stringify(data));
  }

  /**
   * @param {string} sql
   * @param {(string | number)[]} values
   */
  #run(sql, ...values) {
    this.#database.prepare(sql).run(...values);
  }
}
