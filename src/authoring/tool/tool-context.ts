import type { ElicitResult, JsonRpcId } from '../../mcp/types.js';
import type { Cancellation } from '../../protocol/base/cancellation.js';

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

/** The second argument of a tool's handler. Handlers written for the official SDK find everything they expect. */
export interface ToolContext {
  /** Aborted when the call is cancelled or timed out, the turn is interrupted, or the conversation ends. */
  readonly signal: AbortSignal;
  readonly serverName: string;
  readonly requestId: JsonRpcId;
  /** The `tool_use` block of the model's message that this call answers, if the agent says which. */
  readonly toolUseId: string | undefined;
  /** The agent's session, once it is known. */
  readonly sessionId: string | undefined;
  /**
   * The same for every attempt at this call, also after a restart, and different for every other call: give it to whoever
   * has the effect. Undefined if the agent does not say which call it is.
   */
  readonly idempotencyKey: string | undefined;
  /** Places in the arguments where the model had sent JSON text instead of an object or array. */
  readonly repairedArguments: readonly string[];
  readonly meta: Readonly<Params>;
  /** The same as `meta`, under the name that MCP handlers know. */
  readonly _meta: Readonly<Params>;
  /** Also restarts the time limit (`timeout`). */
  reportProgress(progress: number, total?: number, message?: string): void;
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** Asks the user; rejects immediately if nobody can be asked. */
  elicit(question: {
    message: string;
    requestedSchema?: object;
    [field: string]: unknown;
  }): Promise<ElicitResult>;
  /** Asks a model; rejects immediately if the host has no `onSampling`. */
  sample(request: { messages: unknown[]; maxTokens: number; [field: string]: unknown }): Promise<Params>;
  sendNotification(notification: { method: string; params?: Params }): Promise<void>;
  /** Sends a request to the agent's side. Rejects immediately if nobody there can serve it. */
  sendRequest(request: { method: string; params?: Params }, ...unused: unknown[]): Promise<Params>;
}

/** One call as its connection sees it: who is calling, and how to reply. */
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

/** The part of a call's time limit that progress needs. */
export interface ProgressClock {
  readonly isStopped: boolean;
  restart(): void;
}

export function toolContextOf(
  scope: CallScope,
  over: Cancellation,
  clock: ProgressClock,
  repairedArguments: readonly string[],
): ToolContext {
  return new CallContext(scope, over, clock, repairedArguments);
}

/** Own properties and bound functions only: handlers destructure it, copy it and pass it on. */
class CallContext implements ToolContext {
  declare readonly signal: AbortSignal;
  readonly requestId: JsonRpcId;
  readonly serverName: string;
  readonly sessionId: string | undefined;
  readonly toolUseId: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly repairedArguments: readonly string[];
  readonly meta: Params;
  readonly _meta: Params;
  readonly reportProgress: ToolContext['reportProgress'];
  readonly log: ToolContext['log'];
  readonly elicit: ToolContext['elicit'];
  readonly sample: ToolContext['sample'];
  readonly sendNotification: ToolContext['sendNotification'];
  readonly sendRequest: ToolContext['sendRequest'];
  readonly #over: Cancellation;

  constructor(
    scope: CallScope,
    over: Cancellation,
    clock: ProgressClock,
    repairedArguments: readonly string[],
  ) {
    const { requestId, serverName, sessionId, meta } = scope;
    const { progressToken, 'claudecode/toolUseId': toolUseId, 'tenon/idempotencyKey': key } = meta;
    this.#over = over;
    Object.defineProperty(this, 'signal', CallContext.#signal);
    this.requestId = requestId;
    this.serverName = serverName;
    this.sessionId = sessionId;
    this.toolUseId = typeof toolUseId === 'string' ? toolUseId : undefined;
    // As the runtime makes it; the CLI sends none.
    const derived = sessionId === undefined ? undefined : `${sessionId}:${this.toolUseId}`;
    this.idempotencyKey = typeof key === 'string' ? key : this.toolUseId && derived;
    this.repairedArguments = repairedArguments;
    this.meta = meta;
    this._meta = meta;
    this.reportProgress = (progress, total, message) => {
      clock.restart();
      // Without a progress token nobody is listening (MCP), nor once the call is over.
      if (progressToken === undefined || over.isCancelled || clock.isStopped) return;
      const report = { progressToken, progress, total, message };
      // That the client is gone is not the handler's failure.
      scope.notify('notifications/progress', report).catch(() => {});
    };
    this.log = (level, data, logger = serverName) => {
      if (!over.isCancelled) scope.log(level, data, logger);
    };
    this.elicit = (question) => scope.ask('elicitation/create', question, over) as Promise<ElicitResult>;
    this.sample = (request) => scope.ask('sampling/createMessage', request, over);
    this.sendNotification = ({ method, params = {} }) => scope.notify(method, params);
    this.sendRequest = ({ method, params = {} }) => scope.ask(method, params, over);
  }

  // One getter for all calls: in a literal it would be a new function each time, on the hot path.
  static readonly #signal: PropertyDescriptor & ThisType<CallContext> = {
    enumerable: true,
    configurable: true,
    get() {
      return this.#over.signal;
    },
  };
}
