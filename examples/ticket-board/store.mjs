// The board in a SQLite file.

import { EventEmitter } from 'node:events';
import Database from 'libsql';

/**
 * @typedef {'bug' | 'feature' | 'task'} Kind
 * @typedef {{ title: string, kind: Kind, body: string }} Draft
 * @typedef {Draft & { number: number }} Ticket
 */

const TABLE = `
  CREATE TABLE IF NOT EXISTS board (
    number INTEGER PRIMARY KEY, call TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
  );`;

export class TicketStore {
  #database;
  #events = new EventEmitter().setMaxListeners(0);

  /** @param {string} file */
  constructor(file) {
    this.#database = new Database(file);
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;');
    this.#database.exec(TABLE);
  }

  /**
   * Puts a ticket on the board. The same call again, such as after the program was killed in the middle of it, finds the
   * ticket that it has made.
   *
   * @param {string} call
   * @param {Draft} draft
   * @returns {Ticket}
   */
  create(call, { title, kind, body }) {
    const insert =
      'INSERT INTO board (call, title, kind, body) VALUES (?, ?, ?, ?) ON CONFLICT (call) DO NOTHING';
    this.#database.prepare(insert).run(call, title, kind, body);
    this.#events.emit('change');
    return /** @type {Ticket} */ (this.#rows('WHERE call = ?', call)[0]);
  }

  /** @returns {Ticket[]} */
  tickets() {
    return this.#rows('ORDER BY number');
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
   * @param {string} condition
   * @param {readonly unknown[]} parameters
   * @returns {Ticket[]}
   */
  #rows(condition, ...parameters) {
    const select = `SELECT number, title, kind, body FROM board ${condition}`;
    return /** @type {Ticket[]} */ (this.#database.prepare(select).all(...parameters));
  }
}
