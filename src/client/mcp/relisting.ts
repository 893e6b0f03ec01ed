import { LIMITS } from '../../protocol/limits.js';
import type { JsonRpcResponse } from '../../protocol/mcp.js';

/**
 * A tool that changes the tools of its server is answered once the agent has read the new list: told earlier, the
 * agent asks its model with the old one.
 */
export class Relisting {
  #done: Promise<void> | undefined;
  #finish: () => void = () => {};

  /** Resolves when the agent has the list; at once where nothing has changed. */
  get done(): Promise<void> | undefined {
    return this.#done;
  }

  /** The agent is being told that the list has changed. */
  begin(): void {
    if (this.#done !== undefined) return;
    this.#done = new Promise((resolve) => {
      // Old CLIs never ask.
      const timer = setTimeout(() => this.#finish(), LIMITS.relistMs);
      this.#finish = () => {
        clearTimeout(timer);
        this.#done = undefined;
        resolve();
      };
    });
  }

  /** The agent gets this list. With the last page it has all of it, once that is written. */
  answered(response: JsonRpcResponse): void {
    if ('result' in response && response.result.nextCursor !== undefined) return;
    setImmediate(() => this.#finish());
  }

  end(): void {
    this.#finish();
  }
}
