import { messageOf, TenonError } from '../../protocol/errors.js';
import type {
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  McpServerInstance,
  McpTransport,
} from '../../protocol/mcp.js';
import { normalizeUnknownTool } from './mcp-compat.js';

/** The agent's side of a connection, as far as a server can speak to it. */
export interface McpPeer {
  readonly sessionId: string | undefined;
  notify(message: JsonRpcNotification): void;
  /** Never rejects: what nobody can serve is answered with a JSON-RPC error. */
  serve(request: JsonRpcRequest, signal: AbortSignal): Promise<JsonRpcResponse>;
  debug(message: string): void;
}

interface PendingCall {
  wireId: JsonRpcId;
  method: string;
  settle(response: JsonRpcResponse): void;
}

const CANCELLED = -32800;

/**
 * One conversation's connection to one MCP server object, ours or a foreign one, over the structural transport of
 * the MCP libraries. Ids are rewritten: some CLIs shake hands twice with the same ids at the same time.
 */
export class McpConnection {
  readonly #name: string;
  readonly #peer: McpPeer;
  readonly #transport: McpTransport;
  readonly #connected: Promise<void>;
  readonly #pending = new Map<JsonRpcId, PendingCall>();
  readonly #ended = new AbortController();
  #nextId = 1;

  constructor(name: string, instance: McpServerInstance, peer: McpPeer) {
    this.#name = name;
    this.#peer = peer;
    this.#transport = {
      start: async () => {},
      send: async (message) => this.#fromServer(message),
      close: async () => this.close(),
    };
    if (peer.sessionId !== undefined) this.#transport.sessionId = peer.sessionId;
    this.#connected = this.#connect(instance);
    // Whoever sends a message hears of a failure; without one it must not be an unhandled rejection.
    this.#connected.catch(() => {});
  }

  async #connect(instance: McpServerInstance): Promise<void> {
    try {
      await instance.connect(this.#transport);
    } catch (error) {
      if (!/already connected/i.test(messageOf(error))) throw error;
      throw new TenonError(
        'SERVER_IN_USE',
        `The MCP server object of "${this.#name}" is connected to another conversation, and it can hold only one ` +
          'connection. Make one per query, or define the tools with createSdkMcpServer(), which can be shared.',
        { cause: error },
      );
    }
  }

  async receive(message: JsonRpcMessage, signal: AbortSignal): Promise<object> {
    await this.#connected;
    if (this.#peer.sessionId !== undefined) this.#transport.sessionId = this.#peer.sessionId;
    if ('method' in message && 'id' in message) {
      return { mcp_response: await this.#call(message, signal) };
    }
    if ('method' in message) this.#toServer(this.#notification(message));
    else this.#toServer(message);
    // Without an object here the CLI takes the server for dead. No id: it could be that of an open request.
    return { mcp_response: { jsonrpc: '2.0', result: {} } };
  }

  close(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    for (const [id, call] of this.#pending) {
      call.settle(errorResponse(id, CANCELLED, 'The conversation has ended.'));
    }
    // Frees a foreign server object for its next connection; we never call its `close`.
    this.#transport.onclose?.();
  }

  #call(request: JsonRpcRequest, signal: AbortSignal): Promise<JsonRpcResponse> {
    const id = this.#nextId++;
    const wireId = request.id;
    return new Promise((resolve) => {
      const cancel = (): void => {
        this.#toServer(cancelled(id, 'The agent withdrew the request.'));
        settle(errorResponse(id, CANCELLED, 'Request cancelled'));
      };
      const settle = (response: JsonRpcResponse): void => {
        if (!this.#pending.delete(id)) return;
        signal.removeEventListener('abort', cancel);
        resolve({ ...normalizeUnknownTool(request, response), id: wireId });
      };
      this.#pending.set(id, { wireId, method: request.method, settle });
      if (this.#ended.signal.aborted)
        return settle(errorResponse(id, CANCELLED, 'The conversation has ended.'));
      signal.addEventListener('abort', cancel);
      this.#toServer({ ...request, id });
    });
  }

  /** A cancellation names the agent's id: the server knows ours. It never answers the call, so we do. */
  #notification(message: JsonRpcNotification): JsonRpcNotification {
    if (message.method !== 'notifications/cancelled') return message;
    const wireId = message.params?.requestId;
    const open = [...this.#pending].filter(([, call]) => call.wireId === wireId);
    // With ids used twice, a call is what gets cancelled, never a handshake.
    const [id, call] = open.find(([, { method }]) => method === 'tools/call') ?? open.at(-1) ?? [];
    if (id === undefined || call === undefined) return message;
    queueMicrotask(() => call.settle(errorResponse(id, CANCELLED, 'Request cancelled')));
    return { ...message, params: { ...message.params, requestId: id } };
  }

  #toServer(message: JsonRpcMessage): void {
    try {
      this.#transport.onmessage?.(message);
    } catch (error) {
      this.#peer.debug(`MCP server "${this.#name}" threw on a message: ${messageOf(error)}`);
    }
  }

  #fromServer(message: JsonRpcMessage): void {
    if (this.#ended.signal.aborted) return;
    if (!('method' in message)) {
      const call = message.id === undefined ? undefined : this.#pending.get(message.id);
      if (call === undefined) this.#peer.debug(`MCP server "${this.#name}" answered no open request`);
      else call.settle(message);
    } else if ('id' in message) {
      void this.#peer.serve(message, this.#ended.signal).then((response) => this.#toServer(response));
    } else {
      this.#peer.notify(message);
    }
  }
}

function cancelled(requestId: JsonRpcId, reason: string): JsonRpcNotification {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } };
}

function errorResponse(id: JsonRpcId, code: number, message: string): JsonRpcResponse {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
