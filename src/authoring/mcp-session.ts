import type { Cancellation } from '../protocol/cancellation.js';
import { AbortError, messageOf } from '../protocol/errors.js';
import type { JsonRpcId, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../protocol/mcp.js';
import type { McpServerSession, McpSessionClient } from '../protocol/mcp-link/session.js';
import { INTERNAL_ERROR, JsonRpcFault } from './json-rpc-fault.js';
import { runMethod } from './mcp-methods.js';
import { McpRequest } from './mcp-request.js';
import { RunningRequests } from './running-requests.js';
import type { SdkMcpServer } from './sdk-mcp-server.js';
import type { LogLevel } from './tool-context.js';
import type { Audience } from './tool-registry.js';

type Params = Record<string, unknown>;

/** One client of an in-process server. Requests are served independently of each other. */
export class McpSession implements McpServerSession {
  audience: Audience;
  logLevel: LogLevel = 'debug';
  readonly #server: SdkMcpServer;
  readonly #client: McpSessionClient;
  readonly #onEnd: (session: McpSession) => void;
  readonly #running = new RunningRequests();
  #subscriptions: Set<string> | undefined;
  #questions: Map<JsonRpcId, (response: JsonRpcResponse | Error) => void> | undefined;
  #nextQuestion = 1;
  #ended = false;

  constructor(
    server: SdkMcpServer,
    client: McpSessionClient,
    audience: Audience,
    onEnd: (session: McpSession) => void,
  ) {
    this.#server = server;
    this.#client = client;
    this.audience = audience;
    this.#onEnd = onEnd;
  }

  get serverName(): string {
    return this.#server.name;
  }

  get sessionId(): string | undefined {
    return this.#client.sessionId;
  }

  get subscriptions(): Set<string> {
    this.#subscriptions ??= new Set();
    return this.#subscriptions;
  }

  async request(request: JsonRpcRequest, cancellation: Cancellation): Promise<JsonRpcResponse> {
    const { id, method, params = {} } = request;
    const running = new McpRequest(this, request, cancellation);
    this.#running.add(running);
    try {
      const result = (await runMethod(method, this.#server, params, running)) as Params;
      return { jsonrpc: '2.0', id, result };
    } catch (error) {
      const code = error instanceof JsonRpcFault ? error.code : INTERNAL_ERROR;
      return { jsonrpc: '2.0', id, error: { code, message: messageOf(error) } };
    } finally {
      this.#running.delete(running);
    }
  }

  receive(message: JsonRpcNotification | JsonRpcResponse): void {
    if (!('method' in message)) {
      if (message.id !== undefined) this.#questions?.get(message.id)?.(message);
    } else if (message.method === 'notifications/cancelled') this.#running.cancel(message.params);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#running.cancelAll();
    for (const settle of [...(this.#questions?.values() ?? [])]) {
      settle(new AbortError('The conversation has ended.'));
    }
    this.#onEnd(this);
  }

  /** The owner of the server closes it. */
  async close(): Promise<void> {
    await this.#client.serverClosed();
    this.end();
  }

  listChanged(kind: 'tools' | 'resources' | 'prompts'): void {
    this.notify(`notifications/${kind}/list_changed`, {}).catch(() => {});
  }

  resourceUpdated(uri: string): void {
    if (this.#subscriptions?.has(uri)) {
      this.notify('notifications/resources/updated', { uri }).catch(() => {});
    }
  }

  notify(method: string, params: Params, relatedRequestId?: JsonRpcId): Promise<void> {
    return this.#client.send({ jsonrpc: '2.0', method, params }, relatedRequestId);
  }

  ask(method: string, params: Params, relatedRequestId: JsonRpcId, over: Cancellation): Promise<Params> {
    if (over.isCancelled || this.#ended) return Promise.reject(new AbortError('The call is over.'));
    const id = `tenon_${this.#nextQuestion++}`;
    this.#questions ??= new Map();
    const questions = this.#questions;
    return new Promise((resolve, reject) => {
      const settle = (response: JsonRpcResponse | Error): void => {
        if (!questions.delete(id)) return;
        over.off(giveUp);
        if (response instanceof Error) reject(response);
        else if ('error' in response) reject(new JsonRpcFault(response.error.code, response.error.message));
        else resolve(response.result);
      };
      const giveUp = (): void => {
        settle(new AbortError('The call was cancelled.'));
        if (this.#ended) return;
        // Whoever is being asked need not think about it any longer.
        const reason = messageOf(over.reason);
        this.notify('notifications/cancelled', { requestId: id, reason }, relatedRequestId).catch(() => {});
      };
      questions.set(id, settle);
      over.on(giveUp);
      this.#client.send({ jsonrpc: '2.0', id, method, params }, relatedRequestId).catch(settle);
    });
  }
}
