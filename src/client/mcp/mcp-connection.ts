import { Cancellation } from '../../protocol/cancellation.js';
import { messageOf } from '../../protocol/errors.js';
import {
  type JsonRpcId,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type ManyConnectionsServer,
  type McpServerInstance,
  takesManyConnections,
} from '../../protocol/mcp.js';
import { IdMap } from '../../protocol/mcp-link/id-map.js';
import type { SharingClient } from '../../protocol/mcp-link/multiplexer.js';
import { normalizeUnknownTool } from './mcp-compat.js';
import { OwnTransport } from './own-transport.js';
import { Relisting } from './relisting.js';
import { sharedInstance } from './shared-instance.js';

/** The agent's side of a connection, as far as a server can speak to it. */
export interface McpPeer {
  readonly sessionId: string | undefined;
  /** Capabilities that this side has beyond those of the agent, such as `elicitation`. */
  readonly capabilities: Record<string, unknown>;
  notify(message: JsonRpcNotification): void;
  /** Never rejects: what nobody can serve is answered with a JSON-RPC error. */
  serve(request: JsonRpcRequest, signal: AbortSignal): Promise<JsonRpcResponse>;
  debug(message: string): void;
}

interface PendingCall {
  request: JsonRpcRequest;
  settle(response: JsonRpcResponse): void;
}

/** How a server is reached: our own by a session for this conversation, a foreign one by sharing its connection. */
interface Wire {
  send(message: JsonRpcMessage): void;
  close(): void;
}

const CANCELLED = -32800;
const INTERNAL_ERROR = -32603;

/**
 * One conversation's connection to one MCP server object. Ids are rewritten: some CLIs shake hands twice with the
 * same ids at the same time. Every request of the agent is answered exactly once, whatever the server does.
 */
export class McpConnection {
  readonly #name: string;
  readonly #peer: McpPeer;
  readonly #pending = new IdMap<PendingCall>();
  /** What the server asks this side, by the server's ids. */
  readonly #serving = new Map<JsonRpcId, AbortController>();
  readonly #relisting = new Relisting();
  readonly #ended = new Cancellation();
  readonly #wire: Promise<Wire>;
  /** The same, once it is there: each call would wait a moment for a promise that has long been kept. */
  #readyWire: Wire | undefined;

  constructor(name: string, instance: McpServerInstance, peer: McpPeer) {
    this.#name = name;
    this.#peer = peer;
    this.#wire = takesManyConnections(instance) ? this.#ownWire(instance) : this.#sharedWire(instance);
    // Whoever sends a message hears of a failure; without one it must not be an unhandled rejection.
    this.#wire.catch(() => {});
  }

  /** One message of the agent, and the payload of the answer to it. */
  async receive(message: JsonRpcMessage, cancellation: Cancellation): Promise<object> {
    const wire = this.#readyWire ?? (await this.#wire);
    if ('method' in message && 'id' in message) {
      const response = await this.#call(wire, message, cancellation);
      this.#relisting.answered(message, response);
      if (message.method === 'tools/call' && this.#relisting.done !== undefined) await this.#relisting.done;
      return { mcp_response: response };
    }
    this.#toServer(wire, 'method' in message ? this.#notification(message) : message);
    // Without an object here the CLI takes the server for dead. No id: it could be that of an open request.
    return { mcp_response: { jsonrpc: '2.0', result: {} } };
  }

  close(): void {
    if (this.#ended.isCancelled) return;
    this.#ended.cancel(undefined);
    this.#relisting.end();
    this.#settleAll(CANCELLED, 'The conversation has ended.');
    this.#wire.then(
      (wire) => wire.close(),
      () => {},
    );
  }

  async #ownWire(server: ManyConnectionsServer): Promise<Wire> {
    const transport = new OwnTransport(
      this.#peer,
      (message) => this.#fromServer(message),
      () => this.#serverGone(),
    );
    await server.connect(transport, 'claude-code');
    this.#readyWire = {
      send: (message) => transport.onmessage?.(message),
      close: () => transport.onclose?.(),
    };
    return this.#readyWire;
  }

  async #sharedWire(instance: McpServerInstance): Promise<Wire> {
    const multiplexer = sharedInstance(this.#name, instance);
    const client: SharingClient = {
      message: (message) => this.#fromServer(message),
      closed: () => this.#serverGone(),
    };
    await multiplexer.attach(client);
    return {
      send: (message) => multiplexer.receive(client, message),
      close: () => multiplexer.detach(client),
    };
  }

  #call(wire: Wire, request: JsonRpcRequest, cancellation: Cancellation): Promise<JsonRpcResponse> {
    return new Promise((resolve) => {
      const settle = (response: JsonRpcResponse): void => {
        cancellation.off(cancel);
        resolve({ ...normalizeUnknownTool(request, response), id: request.id });
      };
      const id = this.#pending.put(request.id, { request, settle });
      const cancel = (): void => {
        this.#toServer(wire, cancelled(id, 'The agent withdrew the request.'));
        this.#settle(id, CANCELLED, 'Request cancelled');
      };
      if (this.#ended.isCancelled) {
        this.#settle(id, CANCELLED, 'The conversation has ended.');
        return;
      }
      cancellation.on(cancel);
      this.#toServer(wire, { ...request, id, ...this.#withCapabilities(request) });
    });
  }

  /** The agent has no capabilities for in-process servers; what the host's callbacks add is said in its place. */
  #withCapabilities({ method, params }: JsonRpcRequest): object {
    if (method !== 'initialize') return {};
    const capabilities = { ...(params?.capabilities as object | undefined), ...this.#peer.capabilities };
    return { params: { ...params, capabilities } };
  }

  /** A cancellation names the agent's id: the server knows ours. It never answers the call, so we do. */
  #notification(message: JsonRpcNotification): JsonRpcNotification {
    if (message.method !== 'notifications/cancelled') return message;
    const wireId = message.params?.requestId as JsonRpcId;
    // With ids used twice, a call is what gets cancelled, never a handshake.
    const isCall = ({ request }: PendingCall): boolean => request.method === 'tools/call';
    const id = this.#pending.find(wireId, isCall) ?? this.#pending.find(wireId, () => true);
    if (id === undefined) return message;
    queueMicrotask(() => this.#settle(id, CANCELLED, 'Request cancelled'));
    return { ...message, params: { ...message.params, requestId: id } };
  }

  #toServer(wire: Wire, message: JsonRpcMessage): void {
    try {
      wire.send(message);
    } catch (error) {
      this.#peer.debug(`MCP server "${this.#name}" threw on a message: ${messageOf(error)}`);
    }
  }

  #fromServer(message: JsonRpcMessage): void {
    if (this.#ended.isCancelled) return;
    if (!('method' in message)) {
      const call = message.id === undefined ? undefined : this.#pending.take(message.id);
      if (call === undefined) this.#peer.debug(`MCP server "${this.#name}" answered no open request`);
      else call.value.settle(message);
    } else if ('id' in message) {
      void this.#serve(message);
    } else if (message.method === 'notifications/cancelled') {
      // Of a question of its own, which is served here and not by the agent.
      this.#serving.get(message.params?.requestId as JsonRpcId)?.abort(message.params?.reason);
    } else {
      this.#peer.notify(message);
      if (message.method === 'notifications/tools/list_changed') this.#relisting.begin();
    }
  }

  async #serve(request: JsonRpcRequest): Promise<void> {
    const withdrawn = new AbortController();
    this.#serving.set(request.id, withdrawn);
    const signal = AbortSignal.any([this.#ended.signal, withdrawn.signal]);
    const response = await this.#peer.serve(request, signal);
    this.#serving.delete(request.id);
    // MCP: a cancelled request gets no answer.
    if (!signal.aborted) this.#toServer(await this.#wire, response);
  }

  /** The owner closed the server object in the middle of the conversation. */
  #serverGone(): void {
    this.#settleAll(INTERNAL_ERROR, `The MCP server "${this.#name}" was closed.`);
  }

  #settle(id: JsonRpcId, code: number, message: string): void {
    const call = this.#pending.take(id);
    call?.value.settle({ jsonrpc: '2.0', id, error: { code, message } });
  }

  #settleAll(code: number, message: string): void {
    for (const id of this.#pending.idsWhere(() => true)) this.#settle(id, code, message);
  }
}

function cancelled(requestId: JsonRpcId, reason: string): JsonRpcNotification {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } };
}
