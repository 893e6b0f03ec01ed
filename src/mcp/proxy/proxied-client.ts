import type { Cancellation } from '../../protocol/base/cancellation.js';
import { AbortError, messageOf } from '../../protocol/base/errors.js';
import { withTraceHeaders } from '../../protocol/base/trace-context.js';
import { errorResult } from '../error-result.js';
import { INTERNAL_ERROR } from '../json-rpc/codes.js';
import { JsonRpcFault } from '../json-rpc/fault.js';
import { JsonRpcPeer, type JsonRpcRequestOptions } from '../json-rpc/peer.js';
import type { ClientEnd, ServerEnd } from '../link/ends.js';
import type { Multiplexer, SharingClient } from '../link/multiplexer.js';
import { LISTED_FIELDS, ListBounds } from '../list-bounds.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../types.js';
import { UpstreamFailure } from '../upstream/upstream-failure.js';
import { LATEST_PROTOCOL_VERSION } from '../versions.js';

type Params = Record<string, unknown>;

/** A client's request, without the fields that only the wire needs. */
export interface McpRequest {
  readonly method: string;
  readonly params?: Record<string, unknown> | undefined;
}

export type McpResult = Record<string, unknown>;

/**
 * Stands between the clients and the server. It may change the request, the result, or both, and may call `next` any
 * number of times or not at all. If it throws, the client's request fails with that error.
 */
export type McpIntercept = (
  request: McpRequest,
  next: (request: McpRequest) => Promise<McpResult>,
  context: { readonly signal: AbortSignal },
) => McpResult | Promise<McpResult>;

/** Used until a client has introduced itself. */
const OWN_HANDSHAKE: Params = {
  protocolVersion: LATEST_PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'tenon', version: '1.0.0' },
};

/**
 * One client of a proxied server. It outlives the server's process: after a loss, the next request reconnects and shakes
 * hands again. A request that was in flight is never sent twice.
 */
export class ProxiedClient implements ServerEnd {
  readonly #name: string;
  readonly #end: ClientEnd;
  readonly #multiplexer: Multiplexer;
  readonly #intercept: McpIntercept;
  readonly #onEnd: () => void;
  /** This client, as the server knows it. */
  readonly #sharing: SharingClient;
  readonly #client: JsonRpcPeer;
  readonly #server: JsonRpcPeer;
  /** Lists of which the client has not seen the end. */
  readonly #lists = new Map<string, ListBounds>();
  #attached: Promise<void> | undefined;
  #ready: Promise<unknown> | undefined;
  #handshake = OWN_HANDSHAKE;
  #isEnded = false;

  constructor(
    name: string,
    client: ClientEnd,
    multiplexer: Multiplexer,
    intercept: McpIntercept,
    onEnd: () => void,
  ) {
    this.#name = name;
    this.#end = client;
    this.#multiplexer = multiplexer;
    this.#intercept = intercept;
    this.#onEnd = onEnd;
    this.#sharing = {
      message: (message, relatedRequestId) => {
        if (!('method' in message)) this.#server.receive(message);
        else client.send(message, this.#server.relatedRequestId(relatedRequestId)).catch(() => {});
      },
      closed: (error) => this.#lost(error ?? new Error('The MCP server was closed.')),
    };
    this.#client = new JsonRpcPeer({
      send: (message, relatedRequestId) =>
        client.send(message as JsonRpcRequest | JsonRpcNotification, relatedRequestId),
      serve: (request, cancellation) => this.#serve(request, cancellation),
    });
    this.#server = new JsonRpcPeer({ send: async (message) => multiplexer.receive(this.#sharing, message) });
  }

  answer(request: JsonRpcRequest, cancellation: Cancellation): Promise<JsonRpcResponse> {
    return this.#client.answer(request, cancellation);
  }

  receive(message: JsonRpcNotification | JsonRpcResponse): void {
    if ('method' in message && message.method === 'notifications/cancelled') this.#client.receive(message);
    else this.#multiplexer.receive(this.#sharing, message);
  }

  end(reason: Error = new AbortError('The conversation has ended.')): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#client.end(reason);
    this.#multiplexer.detach(this.#sharing);
    this.#lost(reason);
    this.#onEnd();
  }

  /** The owner of the proxy closes it. */
  async close(): Promise<void> {
    await this.#end.serverClosed();
    this.end(new JsonRpcFault(INTERNAL_ERROR, `The MCP server "${this.#name}" was closed.`));
  }

  /** The server's own refusals pass unchanged; any other failure of a call becomes a failed result for the model. */
  async #serve({ id, method, params }: JsonRpcRequest, cancellation: Cancellation): Promise<McpResult> {
    const { signal } = cancellation;
    const options = { cancellation, relatedRequestId: id };
    const next = (request: McpRequest): Promise<McpResult> => this.#forward(request, options);
    try {
      return await this.#intercept(params === undefined ? { method } : { method, params }, next, { signal });
    } catch (error) {
      if (method !== 'tools/call' || error instanceof JsonRpcFault) throw error;
      return errorResult(messageOf(error));
    }
  }

  async #forward(request: McpRequest, options: JsonRpcRequestOptions): Promise<McpResult> {
    if (request.method === 'initialize') {
      await this.#attach();
      this.#handshake = request.params ?? OWN_HANDSHAKE;
      const result = await this.#request(request, options);
      this.#ready = Promise.resolve();
      return result;
    }
    await this.#shakeHands();
    try {
      return this.#bounded(request, await this.#request(request, options));
    } catch (error) {
      // The server has forgotten us or was gone before it was asked; a request that never reached it may be repeated once.
      if (!(error instanceof UpstreamFailure && error.mayRepeat) || error.challenge !== undefined)
        throw error;
      await this.#shakeHands();
      return this.#bounded(request, await this.#request(request, options));
    }
  }

  /** A client follows the pages of a list for as long as there are some. */
  #bounded({ method, params }: McpRequest, result: McpResult): McpResult {
    const field = LISTED_FIELDS[method];
    if (field === undefined) return result;
    const isFirst = params?.cursor === undefined;
    const bounds = (isFirst ? undefined : this.#lists.get(method)) ?? new ListBounds(this.#name, method);
    bounds.take(result, field);
    if (result.nextCursor === undefined) this.#lists.delete(method);
    else this.#lists.set(method, bounds);
    return result;
  }

  async #attach(): Promise<void> {
    if (this.#isEnded) throw new AbortError('The conversation has ended.');
    this.#attached ??= this.#multiplexer.attach(this.#sharing);
    const attached = this.#attached;
    try {
      await attached;
    } catch (error) {
      if (this.#attached === attached) this.#attached = undefined;
      throw error;
    }
  }

  /** Repeats the client's handshake on a connection that the client does not know about. */
  async #shakeHands(): Promise<void> {
    await this.#attach();
    this.#ready ??= this.#request({ method: 'initialize', params: this.#handshake }).then(() =>
      this.#server.notify('notifications/initialized'),
    );
    const ready = this.#ready;
    try {
      await ready;
    } catch (error) {
      if (this.#ready === ready) this.#ready = undefined;
      throw error;
    }
  }

  #request({ method, params }: McpRequest, options?: JsonRpcRequestOptions): Promise<McpResult> {
    const traced = method === 'tools/call' && params !== undefined ? withTraceHeaders(params) : params;
    return this.#server.request(method, traced, options);
  }

  #lost(error: Error): void {
    this.#attached = undefined;
    this.#ready = undefined;
    this.#server.fail(error);
  }
}
