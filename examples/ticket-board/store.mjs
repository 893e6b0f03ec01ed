// The board in a SQLite file. A ticket is staged, waits for a person, and ends up on the board or not. Each
// step is one transaction, so that a program killed at any moment finds everything as it was.

import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import Database from 'libsql';

/**
 * @typedef {'bug' | 'feature' | 'task'} Kind
 * @typedef {{ title: string, kind: Kind, body: string }} Draft
 * @typedef {Draft & { id: string, state: 'waiting' | 'approved' | 'rejected', reason: string | null, ticket: number | null }} Staged
 * @typedef {Draft & { number: number }} Ticket
 */

const TABLES = `
  CREATE TABLE IF NOT EXISTS staged (
    id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, title TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'approved', 'rejected')), reason TEXT,
    staged_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
  );
  -- A repeated request finds the ticket that is already waiting.
  CREATE UNIQUE INDEX IF NOT EXISTS one_waiting ON staged (fingerprint) WHERE state = 'waiting';
  CREATE TABLE IF NOT EXISTS tickets (
    number INTEGER PRIMARY KEY AUTOINCREMENT, staged_id TEXT NOT NULL UNIQUE REFERENCES staged, created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
  );`;

const STAGED = `SELECT s.id, s.title, s.kind, s.body, s.state, s.reason, t.number AS ticket
  FROM staged s LEFT JOIN tickets t ON t.staged_id = s.id`;

export class TicketStore {
  #database;
  #events = new EventEmitter().setMaxListeners(0);

  /** @param {string} file */
  constructor(file) {
    this.#database = new Database(file);
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;');
    this.#database.exec(TABLES);
  }

  /**
   * Stages the ticket, or finds the same one, waiting or on the board.
   *
   * @param {Draft} draft
   * @returns {Staged}
   */
  stage({ title, kind, body }) {
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([title, kind, body]))
      .digest('hex');
    const find = `${STAGED} WHERE s.fingerprint = ? AND s.state <> 'rejected'`;
    const found = this.#database.transaction(() => {
      const [same] = this.#rows(find, fingerprint);
      if (same !== undefined) return same;
      const insert = 'INSERT INTO staged (id, fingerprint, title, kind, body) VALUES (?, ?, ?, ?, ?)';
      this.#database.prepare(insert).run(randomUUID(), fingerprint, title, kind, body);
      return this.#rows(find, fingerprint)[0];
    })();
    this.#events.emit('change');
    return /** @type {Staged} */ (found);
  }

  /**
   * Takes effect once: a second decision on the same ticket changes nothing.
   *
   * @param {string} id
   * @returns {Staged | undefined}
   */
  approve(id) {
    return this.#decide(() => {
      const decided = this.#database
        .prepare("UPDATE staged SET state = 'approved' WHERE id = ? AND state = 'waiting'")
        .run(id);
      if (decided.changes === 1) this.#database.prepare('INSERT INTO tickets (staged_id) VALUES (?)').run(id);
    }, id);
  }

  /**
   * @param {string} id
   * @param {string} reason
   * @returns {Staged | undefined}
   */
  reject(id, reason) {
    return this.#decide(() => {
      const update = "UPDATE staged SET state = 'rejected', reason = ? WHERE id = ? AND state = 'waiting'";
      this.#database.prepare(update).run(reason, id);
    }, id);
  }

  /** @returns {Staged[]} */
  waiting() {
    return this.#rows(`${STAGED} WHERE s.state = 'waiting' ORDER BY s.rowid`);
  }

  /** @returns {Ticket[]} */
  tickets() {
    return this.#rows(`${STAGED} WHERE t.number IS NOT NULL ORDER BY t.number`).map(
      ({ ticket, title, kind, body }) => ({
        number: Number(ticket),
        title,
        kind,
        body,
      }),
    );
  }

  /**
   * Resolves when a person has decided, however long that takes; rejects when the signal aborts. The ticket
   * then stays staged.
   *
   * @param {string} id
   * @param {AbortSignal} signal
   * @returns {Promise<Staged>}
   */
  decided(id, signal) {
    return new Promise((resolve, reject) => {
      const check = () => {
        const [staged] = this.#rows(`${STAGED} WHERE s.id = ?`, id);
        if (staged?.state === 'waiting' && !signal.aborted) return;
        this.#events.off('change', check);
        signal.removeEventListener('abort', check);
        if (staged === undefined || staged.state === 'waiting')
          reject(new Error('Nobody is waiting for the decision any more.'));
        else resolve(staged);
      };
      this.#events.on('change', check);
      signal.addEventListener('abort', check);
      check();
    });
  }

  /**
   * Calls the listener after each change. Returns a function that stops it.
   *
   * @param {() => void} listener
   */
  onChange(listener) {
    this.#events.on('change', listener);
    return () => void this.#events.off('change', listener);
  }

  close() {
    this.#database.close();
  }

  /**
   * @param {() => void} change
   * @param {string} id
   */
  #decide(change, id) {
    this.#database.transaction(change)();
    this.#events.emit('change');
    return this.#rows(`${STAGED} WHERE s.id = ?`, id)[0];
  }

  /**
   * @param {string} sql
   * @param {readonly unknown[]} parameters
   * @returns {Staged[]}
   */
  #rows(sql, ...parameters) {
    return /** @type {Staged[]} */ (this.#database.prepare(sql).all(...parameters));
  }
}
