import type { Cancellation } from '../../protocol/base/cancellation.js';
import type { ServerEnd } from '../link/ends.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../types.js';

/** A server whose end of the connection is still being set up. */
export class DeferredServer implements ServerEnd {
  readonly #server: Promise<ServerEnd>;

  constructor(server: Promise<ServerEnd>) {
    this.#server = server;
    // Requests report a failure; if there are none, it must not become an unhandled rejection.
    server.catch(() => {});
  }

  async answer(request: JsonRpcRequest, cancellation: Cancellation): Promise<JsonRpcResponse> {
    const server = await this.#server;
    return server.answer(request, cancellation);
  }

  receive(message: JsonRpcNotification | JsonRpcResponse): void {
    this.#server.then((server) => server.receive(message)).catch(() => {});
  }

  end(): void {
    this.#server.then((server) => server.end()).catch(() => {});
  }
}
