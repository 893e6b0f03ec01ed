import { Cancellation } from '../../protocol/cancellation.js';
import { messageOf } from '../../protocol/errors.js';
import type {
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  McpServerInstance,
} from '../../protocol/mcp.js';
import { IdMap } from '../../protocol/mcp-link/id-map.js';
import type { Multiplexer, SharingClient } from '../../protocol/mcp-link/multiplexer.js';
import {
  CANCELLED,
  failure,
  INTERNAL_ERROR,
  type McpAnswer,
  type McpPeer,
  RECEIVED,
  type ServerConnection,
  withCapabilities,
} from './server-connection.js';
import { ServerMessages } from './server-messages.js';
import { sharedInstance } from './shared-instance.js';

interface OpenCall {
  request: JsonRpcRequest;
  settle(response: JsonRpcResponse): void;
}

/**
 * A connection to a server object of the MCP library, which holds one and shares it among conversations. Ids are
 * rewritten: some CLIs shake hands twice with the same ids at the same time.
 */
export class SharedConnection implements ServerConnection, SharingClient {
  readonly #name: string;
  readonly #peer: McpPeer;
  readonly #multiplexer: Multiplexer;
  readonly #attached: Promise<void>;
  readonly #messages: ServerMessages;
  readonly #calls = new IdMap<OpenCall>();
  readonly #ended = new Cancellation();

  constructor(name: string, instance: McpServerInstance, peer: McpPeer) {
    this.#name = name;
    this.#peer = peer;
    this.#multiplexer = sharedInstance(name, instance);
    this.#messages = new ServerMessages(peer, (response) => this.#toServer(response));
    this.#attached = this.#multiplexer.attach(this);
    // Whoever sends a message hears of a failure; without one it must not be an unhandled rejection.
    this.#attached.catch(() => {});
  }

  async receive(message: JsonRpcMessage, cancellation: Cancellation): Promise<McpAnswer> {
    await this.#attached;
    if (!('method' in message && 'id' in message)) {
      this.#toServer('method' in message ? this.#notification(message) : message);
      return RECEIVED;
    }
    return this.#messages.answerTo(message, await this.#call(message, cancellation));
  }

  close(): void {
    if (this.#ended.isCancelled) return;
    this.#ended.cancel(undefined);
    this.#messages.end();
    this.#settleAll(CANCELLED, 'The conversation has ended.');
    this.#attached.then(
      () => this.#multiplexer.detach(this),
      () => {},
    );
  }

  #call(request: JsonRpcRequest, cancellation: Cancellation): Promise<JsonRpcResponse> {
    return new Promise((resolve) => {
      const settle = (response: JsonRpcResponse): void => {
        cancellation.off(cancel);
        resolve({ ...response, id: request.id });
      };
      const id = this.#calls.put(request.id, { request, settle });
      const cancel = (): void => {
        this.#toServer(cancelled(id, 'The agent withdrew the request.'));
        this.#settle(id, CANCELLED, 'Request cancelled');
      };
      if (this.#ended.isCancelled) {
        this.#settle(id, CANCELLED, 'The conversation has ended.');
        return;
      }
      cancellation.on(cancel);
      this.#toServer({ ...withCapabilities(request, this.#peer), id });
    });
  }

  /** A cancellation names the agent's id: the server knows ours. It never answers the call, so we do. */
  #notification(message: JsonRpcNotification): JsonRpcNotification {
    if (message.method !== 'notifications/cancelled') return message;
    const wireId = message.params?.requestId as JsonRpcId;
    // With ids used twice, a call is what gets cancelled, never a handshake.
    const isCall = ({ request }: OpenCall): boolean => request.method === 'tools/call';
    const id = this.#calls.find(wireId, isCall) ?? this.#calls.find(wireId, () => true);
    if (id === undefined) return message;
    queueMicrotask(() => this.#settle(id, CANCELLED, 'Request cancelled'));
    return { ...message, params: { ...message.params, requestId: id } };
  }

  #toServer(message: JsonRpcMessage): void {
    try {
      this.#multiplexer.receive(this, message);
    } catch (error) {
      this.#peer.debug(`MCP server "${this.#name}" threw on a message: ${messageOf(error)}`);
    }
  }

  #settle(id: JsonRpcId, code: number, message: string): void {
    const call = this.#calls.take(id)?.value;
    call?.settle(failure(call.request, code, message));
  }

  #settleAll(code: number, message: string): void {
    for (const id of this.#calls.idsWhere(() => true)) this.#settle(id, code, message);
  }

  // What the server says (SharingClient).

  message(message: JsonRpcMessage): void {
    if (this.#ended.isCancelled) return;
    if ('method' in message) {
      this.#messages.receive(message);
      return;
    }
    const call = message.id === undefined ? undefined : this.#calls.take(message.id);
    if (call === undefined) this.#peer.debug(`MCP server "${this.#name}" answered no open request`);
    else call.value.settle(message);
  }

  /** The owner closed the server object in the middle of the conversation. */
  closed(): void {
    this.#settleAll(INTERNAL_ERROR, `The MCP server "${this.#name}" was closed.`);
  }
}

function cancelled(requestId: JsonRpcId, reason: string): JsonRpcNotification {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } };
}
