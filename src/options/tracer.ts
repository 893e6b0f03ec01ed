import type { CallMiddleware, ToolInvocation } from '../mcp/call-middleware.js';
import type { CallToolResult } from '../mcp/types.js';
import type { TraceHeaders } from '../protocol/base/trace-context.js';
import type { Frame } from '../protocol/wire/frames.js';
import type { GivenOptions } from './row.js';

/**
 * Follows conversations while they happen: a value for `options.tracer`, made by `otel()` of `tenon/otel`. What it throws
 * is told to `onDebug` and disturbs nothing.
 */
export interface AgentTracer {
  /** Called for each conversation, before its agent is started. */
  begin(conversation: TracedConversation): ConversationTrace;
  /** Called where a message is given that is sent later: the `message` of its frame is this very object. */
  given?(message: object): void;
}

export interface TracedConversation {
  readonly options: GivenOptions;
  /** The prompt is there: what begins now is its turn. Otherwise an agent is started that waits for one. */
  readonly isPrompted: boolean;
  /** Replaces what is known to be secret. */
  hide(text: string): string;
  /** Tells `onDebug` what went wrong in the tracer. */
  report(error: unknown): void;
}

/** One conversation. Its methods are called in the middle of it: they never wait. */
export interface ConversationTrace {
  /** For the environment of the agent, so that its own spans join. */
  readonly headers: TraceHeaders | undefined;
  /** The agent has answered `initialize`, or failed to. */
  ready(): void;
  /** Every frame, before it is passed on. Not a copy: it must not be changed. */
  frame(frame: Frame, direction: 'sent' | 'received'): void;
  /** Calls `run`, once and at once, where the tool is to run. `by`: who calls it. */
  call(call: ToolInvocation, by: TracedCaller, run: () => Promise<CallToolResult>): void;
  /** Passes on the events of a model's answer, for an agent that asks its model in this process. */
  chat<Event>(request: TracedRequest, answer: () => AsyncIterable<Event>): AsyncIterable<Event>;
  /** Called once, at the end, with what ended it early. */
  end(reason: Error | string): void;
}

/** `host`: an agent asks the host to call a tool of an in-process server. `runtime`: an agent in this process calls any tool. */
export type TracedCaller = 'host' | 'runtime';

/** The middleware that shows calls to a tracer. The tool runs exactly once, whatever the tracer does. */
export function tracedCalls(trace: Pick<ConversationTrace, 'call'>, by: TracedCaller): CallMiddleware {
  return (call, next) => {
    let running: Promise<CallToolResult> | undefined;
    const run = (): Promise<CallToolResult> => {
      running ??= next();
      return running;
    };
    trace.call(call, by, run);
    return run();
  };
}

/** A request to a model. */
export interface TracedRequest {
  /** In the form of the Messages API. */
  readonly body: {
    readonly model: string;
    readonly max_tokens: number;
    readonly system: readonly { readonly text: string }[];
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  };
  /** Whose model it is, as far as it is known. */
  readonly provider: string | undefined;
  /** What asks the model makes a span of its own. */
  readonly tracesItself: boolean;
}
