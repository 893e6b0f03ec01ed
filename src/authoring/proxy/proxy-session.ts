import type { Cancellation } from '../../protocol/cancellation.js';
import { AbortError, messageOf } from '../../protocol/errors.js';
import type {
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
} from '../../protocol/mcp.js';
import type { Multiplexer, SharingClient } from '../../protocol/mcp-link/multiplexer.js';
import type { McpServerSession, McpSessionClient } from '../../protocol/mcp-link/session.js';
import { LATEST_PROTOCOL_VERSION } from '../../protocol/mcp-versions.js';
import { INTERNAL_ERROR, JsonRpcFault } from '../json-rpc-fault.js';
import { errorResult } from '../results/tool-result.js';
import { RunningRequests } from '../running-requests.js';
import { UpstreamFailure } from './upstream-failure.js';

type Params = Record<string, unknown>;

/** A request of a client, without what only the wire needs. */
export interface McpRequest {
  readonly method: string;
  readonly params?: Record<string, unknown> | undefined;
}

export type McpResult = Record<string, unknown>;

/**
 * Stands between the clients and the server. It may change the request, the result, or both; not call `next` at all;
 * or call it more than once. What it throws, the client hears as the failure of its request.
 */
export type McpIntercept = (
  request: McpRequest,
  next: (request: McpRequest) => Promise<McpResult>,
  context: { readonly signal: AbortSignal },
) => McpResult | Promise<McpResult>;

interface OpenRequest {
  /** The client's own id of the request that this one is made for. */
  readonly clientId: JsonRpcId | undefined;
  settle(response: JsonRpcResponse | Error): void;
}

/** Before any client has said who it is. */
const OWN_HANDSHAKE: Params = {
  protocolVersion: LATEST_PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'tenon', version: '1.0.0' },
};

/**
 * One conversation with a proxied server. It outlives the server's process: after a loss, the next request connects
 * and shakes hands again. A request that was under way is never sent twice.
 */
export class ProxySession implements McpServerSession {
  readonly #client: McpSessionClient;
  readonly #multiplexer: Multiplexer;
  readonly #intercept: McpIntercept;
  readonly #onEnd: () => void;
  /** What the server knows this client as. */
  readonly #sharing: SharingClient;
  readonly #running = new RunningRequests();
  readonly #open = new Map<JsonRpcId, OpenRequest>();
  #attached: Promise<void> | undefined;
  #ready: Promise<unknown> | undefined;
  #handshake = OWN_HANDSHAKE;
  #nextId = 1;
  #ended = false;

  constructor(
    client: McpSessionClient,
    multiplexer: Multiplexer,
    intercept: McpIntercept,
    onEnd: () => void,
  ) {
    this.#client = client;
    this.#multiplexer = multiplexer;
    this.#intercept = intercept;
    this.#onEnd = onEnd;
    this.#sharing = {
      message: (message, relatedRequestId) => this.#fromServer(message, relatedRequestId),
      closed: (error) => this.#lost(error ?? new Error('The MCP server was closed.')),
    };
  }

  async request(
    { id, method, params }: JsonRpcRequest,
    cancellation: Cancellation,
  ): Promise<JsonRpcResponse> {
    const running = { requestId: id, method, cancellation };
    this.#running.add(running);
    const { signal } = cancellation;
    const next = (request: McpRequest): Promise<McpResult> => this.#forward(request, id, signal);
    try {
      const request = params === undefined ? { method } : { method, params };
      return { jsonrpc: '2.0', id, result: await this.#intercept(request, next, { signal }) };
    } catch (error) {
      return { jsonrpc: '2.0', id, ...failureOf(method, error) };
    } finally {
      this.#running.delete(running);
    }
  }

  receive(message: JsonRpcNotification | JsonRpcResponse): void {
    if ('method' in message && message.method === 'notifications/cancelled') {
      this.#running.cancel(message.params);
    } else this.#multiplexer.receive(this.#sharing, message);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#running.cancelAll();
    this.#multiplexer.detach(this.#sharing);
    this.#lost(new AbortError('The conversation has ended.'));
    this.#onEnd();
  }

  /** The owner of the proxy closes it. */
  async close(): Promise<void> {
    await this.#client.serverClosed();
    this.end();
  }

  async #forward(request: McpRequest, clientId: JsonRpcId, signal: AbortSignal): Promise<McpResult> {
    if (request.method === 'initialize') {
      await this.#attach();
      this.#handshake = request.params ?? OWN_HANDSHAKE;
      const result = await this.#request(request, clientId, signal);
      this.#ready = Promise.resolve();
      return result;
    }
    await this.#shakeHands();
    try {
      return await this.#request(request, clientId, signal);
    } catch (error) {
      // The server has forgotten us, or went away before it was asked: what it never got, it may get once more.
      if (!(error instanceof UpstreamFailure && error.mayRepeat) || error.challenge !== undefined)
        throw error;
      await this.#shakeHands();
      return this.#request(request, clientId, signal);
    }
  }

  async #attach(): Promise<void> {
    if (this.#ended) throw new AbortError('The conversation has ended.');
    this.#attached ??= this.#multiplexer.attach(this.#sharing);
    const attached = this.#attached;
    try {
      await attached;
    } catch (error) {
      if (this.#attached === attached) this.#attached = undefined;
      throw error;
    }
  }

  /** Again what the client did at first, for a connection that it knows nothing of. */
  async #shakeHands(): Promise<void> {
    await this.#attach();
    this.#ready ??= this.#request({ method: 'initialize', params: this.#handshake }).then(() =>
      this.#multiplexer.receive(this.#sharing, { jsonrpc: '2.0', method: 'notifications/initialized' }),
    );
    const ready = this.#ready;
    try {
      await ready;
    } catch (error) {
      if (this.#ready === ready) this.#ready = undefined;
      throw error;
    }
  }

  #request(request: McpRequest, clientId?: JsonRpcId, signal?: AbortSignal): Promise<McpResult> {
    signal?.throwIfAborted();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        const params = { requestId: id, reason: messageOf(signal?.reason) };
        this.#multiplexer.receive(this.#sharing, {
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params,
        });
        settle(signal?.reason as Error);
      };
      const settle = (response: JsonRpcResponse | Error): void => {
        this.#open.delete(id);
        signal?.removeEventListener('abort', cancel);
        if (response instanceof Error) reject(response);
        else if ('error' in response) reject(faultOf(response.error));
        else resolve(response.result);
      };
      this.#open.set(id, { clientId, settle });
      signal?.addEventListener('abort', cancel);
      this.#multiplexer.receive(this.#sharing, { jsonrpc: '2.0', id, ...request });
    });
  }

  #fromServer(message: JsonRpcMessage, relatedRequestId: JsonRpcId | undefined): void {
    if (!('method' in message)) {
      this.#open.get(message.id as JsonRpcId)?.settle(message);
      return;
    }
    const related = relatedRequestId === undefined ? undefined : this.#open.get(relatedRequestId);
    this.#client.send(message, related?.clientId).catch(() => {});
  }

  #lost(error: Error): void {
    this.#attached = undefined;
    this.#ready = undefined;
    for (const request of [...this.#open.values()]) request.settle(error);
  }
}

function faultOf({ code, message, data }: { code: number; message: string; data?: unknown }): Error {
  return data instanceof UpstreamFailure ? data : new JsonRpcFault(code, message, data);
}

/** What the server itself refused stays as it is; of anything else a model hears as a failed result. */
function failureOf(
  method: string,
  error: unknown,
): { result: McpResult } | { error: { code: number; message: string; data?: unknown } } {
  if (error instanceof JsonRpcFault) {
    const { code, message, data } = error;
    return { error: data === undefined ? { code, message } : { code, message, data } };
  }
  if (method === 'tools/call') return { result: errorResult(messageOf(error)) };
  return { error: { code: INTERNAL_ERROR, message: messageOf(error) } };
}
