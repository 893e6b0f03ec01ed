import type { Cancellation } from '../../protocol/cancellation.js';
import type { JsonRpcMessage } from '../../protocol/mcp.js';
import type { McpAnswer, ServerConnection } from './server-connection.js';

/** A connection whose code is still being loaded. */
export class DeferredConnection implements ServerConnection {
  readonly #loading: Promise<ServerConnection>;
  #isClosed = false;

  constructor(load: () => Promise<ServerConnection>) {
    this.#loading = load();
    // Whoever sends a message hears of a failure; without one it must not be an unhandled rejection.
    this.#loading.catch(() => {});
  }

  async receive(message: JsonRpcMessage, cancellation: Cancellation): Promise<McpAnswer> {
    const connection = await this.#loading;
    return connection.receive(message, cancellation);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#loading.then(
      (connection) => connection.close(),
      () => {},
    );
  }
}
