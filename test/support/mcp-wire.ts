/** A bare MCP client for an in-process server: JSON-RPC over a transport in memory, with everything that was said. */
import type {
  JsonRpcError,
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  McpServerInstance,
  McpTransport,
} from '../../src/index.js';

type Params = Record<string, unknown>;

export class McpWire {
  readonly notifications: JsonRpcNotification[] = [];
  /** Requests of the server to us; answer them with `answer`. */
  readonly requests: JsonRpcRequest[] = [];
  readonly responses: JsonRpcResponse[] = [];
  readonly transport: McpTransport;
  readonly #waiting = new Map<JsonRpcId, (response: JsonRpcResponse) => void>();
  #nextId = 1;

  constructor(sessionId?: string) {
    this.transport = {
      start: async () => {},
      send: async (message) => this.#receive(message),
      close: async () => this.transport.onclose?.(),
      sessionId,
    };
  }

  static async to(server: McpServerInstance, sessionId?: string): Promise<McpWire> {
    const wire = new McpWire(sessionId);
    await server.connect(wire.transport);
    return wire;
  }

  /** The `result`; an error answer is thrown as it came. */
  async request<Result = Params>(
    method: string,
    params?: Params,
    id: JsonRpcId = this.#nextId++,
  ): Promise<Result> {
    const response = await this.exchange(method, params, id);
    if ('error' in response) throw response.error;
    return response.result as Result;
  }

  exchange(method: string, params?: Params, id: JsonRpcId = this.#nextId++): Promise<JsonRpcResponse> {
    const answer = new Promise<JsonRpcResponse>((resolve) => this.#waiting.set(id, resolve));
    this.say({ jsonrpc: '2.0', id, method, params });
    return answer;
  }

  /** The error of a request that must fail. */
  async fault(method: string, params?: Params): Promise<JsonRpcError['error']> {
    const response = await this.exchange(method, params);
    if ('error' in response) return response.error;
    throw new Error(`${method} was answered with ${JSON.stringify(response.result)}`);
  }

  call(name: string, args?: unknown, meta?: Params): Promise<{ content: Params[]; isError?: boolean }> {
    return this.request('tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) });
  }

  say(message: JsonRpcMessage): void {
    this.transport.onmessage?.(message);
  }

  #receive(message: JsonRpcMessage): void {
    if (!('method' in message)) {
      this.responses.push(message);
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
    } else if ('id' in message) this.requests.push(message);
    else this.notifications.push(message);
  }
}
