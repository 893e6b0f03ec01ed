import type { Cancellation } from '../protocol/cancellation.js';
import type { JsonRpcId, JsonRpcRequest } from '../protocol/mcp.js';
import type { MethodScope } from './mcp-methods.js';
import type { McpSession } from './mcp-session.js';
import { LOG_LEVELS, type LogLevel } from './tool-context.js';
import type { Audience } from './tool-registry.js';

type Params = Record<string, unknown>;

/** One request of a client, for as long as it is being served. */
export class McpRequest implements MethodScope {
  readonly method: string;
  readonly requestId: JsonRpcId;
  readonly cancellation: Cancellation;
  readonly meta: Params;
  readonly #session: McpSession;

  constructor(session: McpSession, request: JsonRpcRequest, cancellation: Cancellation) {
    this.#session = session;
    this.method = request.method;
    this.requestId = request.id;
    this.cancellation = cancellation;
    this.meta = (request.params?._meta ?? {}) as Params;
  }

  get serverName(): string {
    return this.#session.serverName;
  }

  get sessionId(): string | undefined {
    return this.#session.sessionId;
  }

  get audience(): Audience {
    return this.#session.audience;
  }

  get subscriptions(): Set<string> {
    return this.#session.subscriptions;
  }

  clientInfo(name: unknown): void {
    if (name === 'claude-code') this.#session.audience = 'claude-code';
  }

  setLogLevel(level: LogLevel): void {
    this.#session.logLevel = level;
  }

  notify(method: string, params: Params): Promise<void> {
    return this.#session.notify(method, params, this.requestId);
  }

  log(level: LogLevel, data: unknown, logger: string): void {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#session.logLevel)) return;
    this.notify('notifications/message', { level, logger, data }).catch(() => {});
  }

  ask(method: string, params: Params, over: Cancellation): Promise<Params> {
    return this.#session.ask(method, params, this.requestId, over);
  }
}
