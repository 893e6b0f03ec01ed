import { clock } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { JsonRpcResponse } from '../types.js';

/**
 * The answer of a tool that changes its server's tools waits until the agent has read the new list: any earlier, and the
 * agent would ask its model with the old one.
 */
export class Relisting {
  #done: Promise<void> | undefined;
  #finish: () => void = () => {};

  /** Resolves when the agent has the list; undefined if nothing has changed. */
  get done(): Promise<void> | undefined {
    return this.#done;
  }

  /** The agent is being told that the list changed. */
  begin(): void {
    if (this.#done !== undefined) return;
    this.#done = new Promise((resolve) => {
      // Old CLIs never ask.
      const timer = clock.setTimeout(() => this.#finish(), LIMITS.relistMs);
      this.#finish = () => {
        clock.clearTimeout(timer);
        this.#done = undefined;
        resolve();
      };
    });
  }

  /** The agent is given this page; with the last one, once written, it has the whole list. */
  answered(response: JsonRpcResponse): void {
    if ('result' in response && response.result.nextCursor !== undefined) return;
    clock.setImmediate(() => this.#finish());
  }

  end(): void {
    this.#finish();
  }
}
