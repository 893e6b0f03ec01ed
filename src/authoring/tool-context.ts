import type { Cancellation } from '../protocol/cancellation.js';
import type { ElicitResult, JsonRpcId } from '../protocol/mcp.js';

export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

type Params = Record<string, unknown>;

/** The second argument of a tool's handler. Handlers written for the official SDK find what they read there. */
export interface ToolContext {
  /** Aborted when the call is cancelled or timed out, the turn is interrupted, or the conversation ends. */
  readonly signal: AbortSignal;
  readonly serverName: string;
  readonly requestId: JsonRpcId;
  /** The `tool_use` block of the model's message that this call answers, where the agent says so. */
  readonly toolUseId: string | undefined;
  /** The agent's session, once it is known. */
  readonly sessionId: string | undefined;
  /** Places in the arguments where the model had sent JSON text instead of an object or array. */
  readonly repairedArguments: readonly string[];
  readonly meta: Readonly<Params>;
  /** The same as `meta`, under the name that MCP handlers know. */
  readonly _meta: Readonly<Params>;
  /** Also starts the clock of `timeout` anew. */
  reportProgress(progress: number, total?: number, message?: string): void;
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** Asks the person; rejects at once where nobody can be asked. */
  elicit(question: {
    message: string;
    requestedSchema?: object;
    [field: string]: unknown;
  }): Promise<ElicitResult>;
  /** Asks a model; rejects at once where the host has no `onSampling`. */
  sample(request: { messages: unknown[]; maxTokens: number; [field: string]: unknown }): Promise<Params>;
  sendNotification(notification: { method: string; params?: Params }): Promise<void>;
  /** A request to the agent's side. Rejects at once with an error where nobody there can serve it. */
  sendRequest(request: { method: string; params?: Params }, ...unused: unknown[]): Promise<Params>;
}

/** One call as its connection sees it: who asks, and the ways back. */
export interface CallScope {
  readonly cancellation: Cancellation;
  readonly requestId: JsonRpcId;
  readonly serverName: string;
  readonly sessionId: string | undefined;
  readonly meta: Params;
  notify(method: string, params: Params): Promise<void>;
  log(level: LogLevel, data: unknown, logger: string): void;
  ask(method: string, params: Params, over: Cancellation): Promise<Params>;
}

export function toolContextOf(
  scope: CallScope,
  over: Cancellation,
  onProgress: () => boolean,
  repairedArguments: readonly string[],
): ToolContext {
  const { requestId, serverName, sessionId, meta } = scope;
  const { progressToken } = meta;
  const toolUseId = meta['claudecode/toolUseId'];
  return {
    get signal() {
      return over.signal;
    },
    requestId,
    serverName,
    sessionId,
    toolUseId: typeof toolUseId === 'string' ? toolUseId : undefined,
    repairedArguments,
    meta,
    _meta: meta,
    reportProgress: (progress, total, message) => {
      const isRunning = onProgress();
      // MCP: no token, nobody listens; nor does anybody once the call is over.
      if (progressToken === undefined || over.isCancelled || !isRunning) return;
      const report = { progressToken, progress, total, message };
      // A client that has gone is no failure of the handler.
      scope.notify('notifications/progress', report).catch(() => {});
    },
    log: (level, data, logger = serverName) => {
      if (!over.isCancelled) scope.log(level, data, logger);
    },
    elicit: (question) => scope.ask('elicitation/create', question, over) as Promise<ElicitResult>,
    sample: (request) => scope.ask('sampling/createMessage', request, over),
    sendNotification: ({ method, params = {} }) => scope.notify(method, params),
    sendRequest: ({ method, params = {} }) => scope.ask(method, params, over),
  };
}
