// What waits for a person. The host keeps the questions; this only shows them to whoever decides.

import { EventEmitter } from 'node:events';

export const TENANT = 'board';

/** @typedef {{ id: string, title: string, kind: string, body: string }} Waiting */

export class Desk {
  #host;
  /** @type {Waiting[]} */
  #waiting = [];
  #events = new EventEmitter().setMaxListeners(0);

  /** @param {import('tenon/host').Host} host */
  constructor(host) {
    this.#host = host;
  }

  /** The tickets that wait, the oldest first. */
  waiting() {
    return this.#waiting;
  }

  /** Looks again at what waits. */
  async refresh() {
    const approvals = await this.#host.pendingApprovals({ tenant: TENANT });
    this.#waiting = approvals.flatMap((approval) => {
      if (approval.kind !== 'permission') return [];
      const { title = '', kind = '', body = '' } = approval.input;
      return [{ id: approval.id, title: String(title), kind: String(kind), body: String(body) }];
    });
    this.#events.emit('change');
  }

  /**
   * The first decision counts. `already`: it was another one; `gone`: nobody asks any more.
   *
   * @param {string} id
   */
  approve(id) {
    return this.#decide(id, { behavior: 'allow' });
  }

  /**
   * @param {string} id
   * @param {string} reason the agent reads it
   */
  reject(id, reason) {
    const message = `The ticket was not approved. Reason: ${reason || 'none given'}`;
    return this.#decide(id, { behavior: 'deny', message });
  }

  /**
   * Calls the listener when something else waits. Returns a function that stops it.
   *
   * @param {() => void} listener
   */
  onChange(listener) {
    this.#events.on('change', listener);
    return () => void this.#events.off('change', listener);
  }

  /**
   * @param {string} id
   * @param {import('tenon/host').HostAnswer} answer
   */
  async #decide(id, answer) {
    const outcome = await this.#host.answer(id, answer, { tenant: TENANT });
    await this.refresh();
    return outcome;
  }
}
