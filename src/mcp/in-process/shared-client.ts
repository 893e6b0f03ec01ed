import type { Cancellation } from '../../protocol/base/cancellation.js';
import { AbortError } from '../../protocol/base/errors.js';
import { INTERNAL_ERROR } from '../json-rpc/codes.js';
import { JsonRpcFault } from '../json-rpc/fault.js';
import { JsonRpcPeer } from '../json-rpc/peer.js';
import type { ClientEnd, ServerEnd } from '../link/ends.js';
import type { Multiplexer, SharingClient } from '../link/multiplexer.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, McpServerInstance } from '../types.js';
import { sharedInstance } from './shared-instance.js';

/**
 * One of the conversations that share a server object of the MCP library. Requests are forwarded under new ids, because
 * some CLIs shake hands twice at the same time with the same ids.
 */
export class SharedClient implements ServerEnd {
  readonly #multiplexer: Multiplexer;
  /** This conversation, as the server object knows it. */
  readonly #sharing: SharingClient;
  readonly #attached: Promise<void>;
  /** Answers the agent with what the server answers. */
  readonly #agent: JsonRpcPeer;
  readonly #server: JsonRpcPeer;

  constructor(name: string, instance: McpServerInstance, client: ClientEnd) {
    const closed = `The MCP server "${name}" was closed.`;
    this.#sharing = {
      message: (message) => {
        if ('method' in message) void client.send(message, undefined);
        else this.#server.receive(message);
      },
      // The owner closed the server object during the conversation.
      closed: () => this.#server.fail(new JsonRpcFault(INTERNAL_ERROR, closed)),
    };
    this.#multiplexer = sharedInstance(name, instance);
    this.#server = new JsonRpcPeer({
      send: async (message) => this.#multiplexer.receive(this.#sharing, message),
    });
    this.#agent = new JsonRpcPeer({
      send: (message) => client.send(message as JsonRpcRequest | JsonRpcNotification, undefined),
      serve: ({ method, params }, cancellation) => this.#server.request(method, params, { cancellation }),
    });
    this.#attached = this.#multiplexer.attach(this.#sharing);
    // Requests report a failure; if there are none, it must not become an unhandled rejection.
    this.#attached.catch(() => {});
  }

  async answer(request: JsonRpcRequest, cancellation: Cancellation): Promise<JsonRpcResponse> {
    await this.#attached;
    return this.#agent.answer(request, cancellation);
  }

  receive(message: JsonRpcNotification | JsonRpcResponse): void {
    // Not ahead of earlier requests.
    this.#attached
      .then(() => {
        if ('method' in message && message.method === 'notifications/cancelled') this.#agent.receive(message);
        else this.#multiplexer.receive(this.#sharing, message);
      })
      .catch(() => {});
  }

  end(): void {
    this.#agent.end(new AbortError('The conversation has ended.'));
    this.#attached.then(
      () => this.#multiplexer.detach(this.#sharing),
      () => {},
    );
  }
}
