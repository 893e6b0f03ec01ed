// The orders, a line of JSON each, in a file that only grows.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/**
 * @typedef {object} Order
 * @property {string} key of the call that has placed it
 * @property {number} number
 * @property {string} customer
 * @property {string} product its id
 * @property {number} quantity
 */

const FIRST_NUMBER = 1001;

export class Orders {
  /** By the key of their call. @type {Map<string, Order>} */
  #orders = new Map();
  #file;

  /** @param {string} [file] without one they are kept in memory */
  constructor(file) {
    this.#file = file;
    if (file === undefined || !existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const order = readOrder(line);
      if (order !== undefined) this.#orders.set(order.key, order);
    }
  }

  /**
   * The same key again is the same order: a call that is repeated after the program was killed has one effect.
   *
   * @param {Omit<Order, 'number'>} order
   * @returns {Order}
   */
  place(order) {
    const known = this.#orders.get(order.key);
    if (known !== undefined) return known;
    const placed = { ...order, number: FIRST_NUMBER + this.#orders.size };
    // The line break comes first: the line before may have been cut off.
    if (this.#file !== undefined) appendFileSync(this.#file, `\n${JSON.stringify(placed)}`, { flush: true });
    this.#orders.set(order.key, placed);
    return placed;
  }

  /** @param {string} customer */
  of(customer) {
    return [...this.#orders.values()].filter((order) => order.customer === customer);
  }
}

/**
 * @param {string} line
 * @returns {Order | undefined} undefined: the program was killed while it wrote
 */
function readOrder(line) {
  try {
    return line === '' ? undefined : JSON.parse(line);
  } catch {
    return undefined;
  }
}
