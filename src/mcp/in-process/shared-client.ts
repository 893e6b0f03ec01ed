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
  /** Why the server object could not be connected. */
  #refusal: { error: unknown } | undefined;
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
      // A call that is cancelled before there is a connection is answered at once, and never sent.
      serve: async ({ method, params }, cancellation) => {
        await this.#attached;
        return this.#server.request(method, params, { cancellation });
      },
    });
    this.#attached = this.#multiplexer.attach(this.#sharing);
    this.#attached.catch((error) => {
      this.#refusal = { error };
    });
  }

  async answer(request: JsonRpcRequest, cancellation: Cancellation): Promise<JsonRpcResponse> {
    const response = await this.#agent.answer(request, cancellation);
    if (this.#refusal !== undefined && !cancellation.isCancelled) throw this.#refusal.error;
    return response;
  }

  receive(message: JsonRpcNotification | JsonRpcResponse): void {
    if ('method' in message && message.method === 'notifications/cancelled') {
      this.#agent.receive(message);
      return;
    }
    // Not ahead of earlier requests.
    this.#attached.then(() => this.#multiplexer.receive(this.#sharing, message)).catch(() => {});
  }

  end(): void {
    this.#agent.end(new AbortError('The conversation has ended.'));
    this.#attached.then(
      () => this.#multiplexer.detach(this.#sharing),
      () => {},
    );
  }
}
