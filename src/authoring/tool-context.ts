import type { JsonRpcId } from '../protocol/mcp.js';

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** The second argument of a tool's handler. Handlers written for the official SDK find what they read there. */
export interface ToolContext {
  /** Aborted when the call is cancelled, the turn is interrupted, or the conversation ends. */
  readonly signal: AbortSignal;
  readonly serverName: string;
  readonly requestId: JsonRpcId;
  /** The `tool_use` block of the model's message that this call answers, where the agent says so. */
  readonly toolUseId: string | undefined;
  /** The agent's session, once it is known. */
  readonly sessionId: string | undefined;
  readonly meta: Readonly<Record<string, unknown>>;
  /** The same as `meta`, under the name that MCP handlers know. */
  readonly _meta: Readonly<Record<string, unknown>>;
  reportProgress(progress: number, total?: number, message?: string): void;
  log(level: LogLevel, data: unknown, logger?: string): void;
  sendNotification(notification: { method: string; params?: Record<string, unknown> }): Promise<void>;
  /** A request to the agent's side. Rejects at once with an error where nobody there can serve it. */
  sendRequest(
    request: { method: string; params?: Record<string, unknown> },
    ...unused: unknown[]
  ): Promise<Record<string, unknown>>;
}
