import { Cancellation } from '../protocol/cancellation.js';
import { AbortError, messageOf } from '../protocol/errors.js';
import type { JsonRpcId, JsonRpcMessage, JsonRpcRequest, McpTransport } from '../protocol/mcp.js';
import { INTERNAL_ERROR, JsonRpcFault } from './json-rpc-fault.js';
import { type MethodScope, runMethod } from './mcp-methods.js';
import type { SdkMcpServer } from './sdk-mcp-server.js';
import { LOG_LEVELS, type LogLevel } from './tool-context.js';
import type { Audience } from './tool-registry.js';

type Params = Record<string, unknown>;

/** One connection of an in-process server: JSON-RPC in, JSON-RPC out, requests served independently of each other. */
export class McpSession {
  readonly #server: SdkMcpServer;
  readonly #transport: McpTransport;
  readonly #running = new Map<JsonRpcId, Cancellation>();
  readonly #asked = new Map<JsonRpcId, (response: JsonRpcMessage | Error) => void>();
  readonly #subscriptions = new Set<string>();
  readonly #onEnd: () => void;
  #audience: Audience;
  #logLevel: LogLevel = 'debug';
  #nextRequestId = 1;
  #ended = false;

  constructor(server: SdkMcpServer, transport: McpTransport, onEnd: () => void, audience: Audience = 'any') {
    this.#server = server;
    this.#transport = transport;
    this.#onEnd = onEnd;
    this.#audience = audience;
    transport.onmessage = (message) => this.#receive(message);
    transport.onclose = () => this.#end();
  }

  async close(): Promise<void> {
    await this.#transport.close();
    this.#end();
  }

  listChanged(kind: 'tools' | 'resources' | 'prompts'): void {
    this.#notify(`notifications/${kind}/list_changed`, {}).catch(() => {});
  }

  resourceUpdated(uri: string): void {
    if (this.#subscriptions.has(uri)) {
      this.#notify('notifications/resources/updated', { uri }).catch(() => {});
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const reason = new AbortError('The conversation has ended.');
    for (const cancellation of this.#running.values()) cancellation.cancel(reason);
    for (const settle of this.#asked.values()) settle(reason);
    this.#running.clear();
    this.#asked.clear();
    this.#onEnd();
  }

  #receive(message: JsonRpcMessage): void {
    if ('method' in message) {
      if ('id' in message) void this.#serve(message);
      else if (message.method === 'notifications/cancelled') this.#cancel(message.params);
    } else if (message.id !== undefined) {
      this.#asked.get(message.id)?.(message);
    }
  }

  async #serve(request: JsonRpcRequest): Promise<void> {
    const { id, method, params = {} } = request;
    const cancellation = new Cancellation();
    this.#running.set(id, cancellation);
    let answer: JsonRpcMessage;
    try {
      const scope = this.#scopeOf(id, params, cancellation);
      const result = await runMethod(method, this.#server, params, scope);
      answer = { jsonrpc: '2.0', id, result: result as Params };
    } catch (error) {
      const code = error instanceof JsonRpcFault ? error.code : INTERNAL_ERROR;
      answer = { jsonrpc: '2.0', id, error: { code, message: messageOf(error) } };
    }
    if (this.#running.get(id) === cancellation) this.#running.delete(id);
    // MCP: a cancelled request gets no answer.
    if (!cancellation.isCancelled) await this.#send(answer, id).catch(() => {});
  }

  #scopeOf(requestId: JsonRpcId, params: Params, cancellation: Cancellation): MethodScope {
    return {
      cancellation,
      requestId,
      serverName: this.#server.name,
      sessionId: this.#transport.sessionId,
      meta: (params._meta ?? {}) as Params,
      audience: this.#audience,
      subscriptions: this.#subscriptions,
      clientInfo: (name) => {
        if (name === 'claude-code') this.#audience = 'claude-code';
      },
      setLogLevel: (level) => {
        this.#logLevel = level;
      },
      notify: (method, fields) => this.#notify(method, fields, requestId),
      log: (level, data, logger) => {
        if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#logLevel)) return;
        this.#notify('notifications/message', { level, logger, data }, requestId).catch(() => {});
      },
      ask: (method, fields, over) => this.#ask(method, fields, requestId, over),
    };
  }

  #notify(method: string, params: Params, relatedRequestId?: JsonRpcId): Promise<void> {
    return this.#send({ jsonrpc: '2.0', method, params }, relatedRequestId);
  }

  /** `relatedRequestId` tells a transport with several streams (HTTP) on which of them this belongs. */
  async #send(message: JsonRpcMessage, relatedRequestId: JsonRpcId | undefined): Promise<void> {
    await this.#transport.send(message, { relatedRequestId });
  }

  #ask(method: string, params: Params, relatedRequestId: JsonRpcId, over: Cancellation): Promise<Params> {
    if (over.isCancelled || this.#ended) return Promise.reject(new AbortError('The call is over.'));
    const id = `tenon_${this.#nextRequestId++}`;
    return new Promise((resolve, reject) => {
      const settle = (response: JsonRpcMessage | Error): void => {
        if (!this.#asked.delete(id)) return;
        over.off(giveUp);
        if (response instanceof Error) reject(response);
        else if ('error' in response) reject(new JsonRpcFault(response.error.code, response.error.message));
        else resolve('result' in response ? response.result : {});
      };
      const giveUp = (): void => {
        settle(new AbortError('The call was cancelled.'));
        if (this.#ended) return;
        // Whoever is being asked need not think about it any longer.
        const reason = messageOf(over.reason);
        this.#notify('notifications/cancelled', { requestId: id, reason }, relatedRequestId).catch(() => {});
      };
      this.#asked.set(id, settle);
      over.on(giveUp);
      this.#send({ jsonrpc: '2.0', id, method, params }, relatedRequestId).catch((error: Error) =>
        settle(error),
      );
    });
  }

  #cancel(params: Params | undefined): void {
    const id = params?.requestId;
    const reason = typeof params?.reason === 'string' ? params.reason : 'The call was cancelled.';
    if (typeof id === 'string' || typeof id === 'number')
      this.#running.get(id)?.cancel(new AbortError(reason));
  }
}
