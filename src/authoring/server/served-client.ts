import { INTERNAL_ERROR } from '../../mcp/json-rpc/codes.js';
import { JsonRpcFault } from '../../mcp/json-rpc/fault.js';
import { JsonRpcPeer } from '../../mcp/json-rpc/peer.js';
import type { ClientEnd, ServerEnd } from '../../mcp/link/ends.js';
import type { JsonRpcId, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../../mcp/types.js';
import type { Cancellation } from '../../protocol/base/cancellation.js';
import { AbortError } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LOG_LEVELS, type LogLevel } from '../tool/tool-context.js';
import { type MethodScope, runMethod } from './methods.js';
import type { SdkMcpServer } from './sdk-mcp-server.js';
import type { Audience } from './tool-registry.js';

type Params = Record<string, unknown>;

/** One client of an in-process server. Its requests are served independently. */
export class ServedClient implements ServerEnd {
  readonly server: SdkMcpServer;
  audience: Audience;
  logLevel: LogLevel = 'debug';
  readonly #client: ClientEnd;
  readonly #onEnd: (client: ServedClient) => void;
  readonly #peer: JsonRpcPeer;
  #subscriptions: Set<string> | undefined;
  #isEnded = false;

  constructor(
    server: SdkMcpServer,
    client: ClientEnd,
    audience: Audience,
    onEnd: (client: ServedClient) => void,
  ) {
    this.server = server;
    this.#client = client;
    this.audience = audience;
    this.#onEnd = onEnd;
    this.#peer = new JsonRpcPeer(
      {
        send: (message, relatedRequestId) =>
          client.send(message as JsonRpcRequest | JsonRpcNotification, relatedRequestId),
        serve: (request, cancellation) => {
          const scope = new RequestScope(this, request, cancellation);
          return runMethod(request.method, server, request.params ?? {}, scope);
        },
      },
      { idPrefix: 'tenon_' },
    );
  }

  get sessionId(): string | undefined {
    return this.#client.sessionId;
  }

  get subscriptions(): Set<string> {
    this.#subscriptions ??= new Set();
    return this.#subscriptions;
  }

  answer(request: JsonRpcRequest, cancellation: Cancellation): Promise<JsonRpcResponse> {
    return this.#peer.answer(request, cancellation);
  }

  receive(message: JsonRpcNotification | JsonRpcResponse): void {
    this.#peer.receive(message);
  }

  end(reason: Error = new AbortError('The conversation has ended.')): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#peer.end(reason);
    this.#onEnd(this);
  }

  /** The owner of the server closes it. */
  async close(): Promise<void> {
    await this.#client.serverClosed();
    this.end(new JsonRpcFault(INTERNAL_ERROR, `The MCP server "${this.server.name}" was closed.`));
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
    return this.#peer.notify(method, params, relatedRequestId);
  }

  ask(
    method: string,
    params: Params,
    relatedRequestId: JsonRpcId,
    cancellation: Cancellation,
  ): Promise<Params> {
    return this.#peer.request(method, params, { relatedRequestId, cancellation });
  }
}

/** One request while it is being served. */
class RequestScope implements MethodScope {
  readonly requestId: JsonRpcId;
  readonly cancellation: Cancellation;
  readonly meta: Params;
  readonly #client: ServedClient;

  constructor(client: ServedClient, { id, params }: JsonRpcRequest, cancellation: Cancellation) {
    this.#client = client;
    this.requestId = id;
    this.cancellation = cancellation;
    this.meta = isRecord(params?._meta) ? params._meta : {};
  }

  get serverName(): string {
    return this.#client.server.name;
  }

  get sessionId(): string | undefined {
    return this.#client.sessionId;
  }

  get audience(): Audience {
    return this.#client.audience;
  }

  get subscriptions(): Set<string> {
    return this.#client.subscriptions;
  }

  clientInfo(name: unknown): void {
    if (name === 'claude-code') this.#client.audience = 'claude-code';
  }

  setLogLevel(level: LogLevel): void {
    this.#client.logLevel = level;
  }

  notify(method: string, params: Params): Promise<void> {
    return this.#client.notify(method, params, this.requestId);
  }

  log(level: LogLevel, data: unknown, logger: string): void {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#client.logLevel)) return;
    this.notify('notifications/message', { level, logger, data }).catch(() => {});
  }

  ask(method: string, params: Params, over: Cancellation): Promise<Params> {
    return this.#client.ask(method, params, this.requestId, over);
  }
}
