import { type Attributes, type Context, context, createContextKey, SpanKind } from '@opentelemetry/api';
import type { ToolInvocation } from '../mcp/call-middleware.js';
import type { CallToolResult } from '../mcp/types.js';
import type { TracedCaller } from '../options/tracer.js';
import { isRecord } from '../protocol/base/kinds.js';
import { ATTRIBUTE, ERROR, OPERATION, OWN_ATTRIBUTE, TOOLS_CALL } from './names.js';
import type { SpanOperation } from './operation.js';
import type { TraceSetting } from './setting.js';

/** A call of a tool, from the model's request to its result. */
export interface TracedCall {
  readonly name: string;
  readonly id: string | undefined;
  readonly owner: Context;
  readonly input: unknown;
  /** When it could begin: when the model asked for it, or permission was given. */
  readyAt: number;
  /** Begun when something runs, or needs it as a parent. */
  operation?: SpanOperation;
  caller?: TracedCaller;
}

/** Marks what runs within a call. */
const CALL = createContextKey('tenon: the call of a tool');

interface CallMark {
  readonly spans: ToolSpans;
  readonly call: TracedCall;
}

/** How a call went. */
interface Outcome {
  readonly errorType: string | undefined;
  readonly attributes?: Attributes;
  readonly output?: unknown;
}

/** The `execute_tool` spans of one conversation. */
export class ToolSpans {
  readonly #setting: TraceSetting;
  readonly #calls = new Map<string, TracedCall>();
  /** Calls without an id are found nowhere else. */
  readonly #running = new Set<TracedCall>();

  constructor(setting: TraceSetting) {
    this.#setting = setting;
  }

  /** The call of this conversation that the current code runs in. */
  current(): TracedCall | undefined {
    const within = context.active().getValue(CALL) as CallMark | undefined;
    // A tool may begin a conversation of its own. A call may be over, and what it began goes on.
    return within?.spans === this ? within.call : undefined;
  }

  /** The model asks for it. */
  requested(id: string, name: string, input: unknown, owner: Context): void {
    if (this.#calls.has(id)) return;
    this.#calls.set(id, { id, name, input, owner, readyAt: this.#setting.time.now() });
  }

  /** Somebody has decided: what came before is not part of the execution. */
  decided(id: string): void {
    const call = this.#calls.get(id);
    if (call !== undefined) call.readyAt = this.#setting.time.now();
  }

  /** What the call's own work belongs to; begins it. */
  contextOf(id: string): Context | undefined {
    const call = this.#calls.get(id);
    return call === undefined ? undefined : this.#begun(call).context;
  }

  /** Runs the call in its span. */
  run(
    invocation: ToolInvocation,
    by: TracedCaller,
    owner: Context,
    run: () => Promise<CallToolResult>,
  ): void {
    const call = this.#callOf(invocation, owner);
    // The runtime asks the host for tools of in-process servers: the host's part is within the runtime's.
    const isWithin = call.operation !== undefined && call.caller === 'runtime' && by === 'host';
    if (!isWithin) call.caller = by;
    const operation = this.#begun(call);
    operation.set(mcpAttributes(invocation, by));
    const { time, metrics } = this.#setting;
    const began = time.now();
    const mark: CallMark = { spans: this, call };
    const running = context.with(operation.context.setValue(CALL, mark), run);
    const settle = ({ errorType, attributes = {}, output }: Outcome): void =>
      this.#setting.safely(() => {
        const side = by === 'host' ? 'server' : 'client';
        if (invocation.server !== undefined)
          metrics.mcp(side, time.now() - began, mcpMetric(invocation, errorType));
        if (isWithin) return;
        operation.set(attributes);
        this.#end(call, errorType, output);
      });
    running.then(
      (output) => settle({ errorType: output.isError ? ERROR.tool : undefined, output }),
      (error) => settle({ errorType: errorOf(error, invocation.signal), attributes: faultAttributes(error) }),
    );
  }

  /** The call as the model asked for it, or a new one if that has not been seen. */
  #callOf({ toolUseId: id, toolName: name, input }: ToolInvocation, owner: Context): TracedCall {
    const known = id === undefined ? undefined : this.#calls.get(id);
    if (known !== undefined) return known;
    const call: TracedCall = { id, name, input, owner, readyAt: this.#setting.time.now() };
    if (id !== undefined) this.#calls.set(id, call);
    return call;
  }

  /** The model gets its result, whether it ran or not. */
  result(id: string, isError: boolean, meta: unknown, output: unknown): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    this.#begun(call);
    this.#end(call, isError ? whyNot(meta) : undefined, output);
  }

  /** A turn has ended: results of what is over may have been left out. */
  forgetEnded(): void {
    for (const [id, { operation }] of this.#calls) if (operation?.isEnded) this.#calls.delete(id);
  }

  /** Nothing more comes: what is open has failed. */
  endAll(errorType: string): void {
    for (const call of new Set([...this.#calls.values(), ...this.#running])) {
      this.#begun(call);
      this.#end(call, errorType);
    }
    this.#calls.clear();
  }

  #begun(call: TracedCall): SpanOperation {
    if (call.operation !== undefined) return call.operation;
    const { id, name, input, owner, readyAt, caller } = call;
    const { content } = this.#setting;
    call.operation = this.#setting.start({
      operation: OPERATION.executeTool,
      subject: name,
      kind: SpanKind.INTERNAL,
      parent: owner,
      // One that runs elsewhere has begun before we know of it.
      at: caller === undefined ? readyAt : undefined,
      attributes: {
        [ATTRIBUTE.toolName]: name,
        // In the words of the conventions: the agent runs it, unless it turns out that the program does.
        [ATTRIBUTE.toolType]: 'extension',
        ...(id === undefined ? {} : { [ATTRIBUTE.toolCallId]: id }),
        ...(content.tools ? { [ATTRIBUTE.toolArguments]: this.#setting.text(input) } : {}),
      },
    });
    this.#running.add(call);
    return call.operation;
  }

  #end(call: TracedCall, errorType: string | undefined, output?: unknown): void {
    const { operation, name } = call;
    this.#running.delete(call);
    if (operation === undefined || operation.isEnded) return;
    const { content, metrics } = this.#setting;
    const said = content.tools && output !== undefined ? this.#setting.text(shownOutput(output)) : undefined;
    if (said !== undefined) operation.set({ [ATTRIBUTE.toolResult]: said });
    const milliseconds = operation.end(errorType, errorType === undefined ? undefined : said) ?? 0;
    metrics.tool(milliseconds, {
      [ATTRIBUTE.toolName]: name,
      ...(errorType === undefined ? {} : { [ATTRIBUTE.errorType]: errorType }),
    });
  }
}

function mcpAttributes({ server, sessionId }: ToolInvocation, by: TracedCaller): Attributes {
  if (server === undefined) return {};
  return {
    ...(by === 'host' ? { [ATTRIBUTE.toolType]: 'function' } : {}),
    [ATTRIBUTE.mcpMethod]: TOOLS_CALL,
    [OWN_ATTRIBUTE.mcpServer]: server,
    ...(sessionId === undefined ? {} : { [ATTRIBUTE.mcpSession]: sessionId }),
  };
}

function mcpMetric({ toolName }: ToolInvocation, errorType: string | undefined): Attributes {
  return {
    [ATTRIBUTE.mcpMethod]: TOOLS_CALL,
    [ATTRIBUTE.operation]: OPERATION.executeTool,
    [ATTRIBUTE.toolName]: toolName,
    ...(errorType === undefined ? {} : { [ATTRIBUTE.errorType]: errorType }),
  };
}

/** A refusal of JSON-RPC has a code. */
function codeOf(error: unknown): number | undefined {
  return isRecord(error) && typeof error.code === 'number' ? error.code : undefined;
}

function faultAttributes(error: unknown): Attributes {
  const code = codeOf(error);
  return code === undefined ? {} : { [ATTRIBUTE.rpcStatus]: String(code) };
}

function errorOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return ERROR.cancelled;
  const code = codeOf(error);
  if (code !== undefined) return String(code);
  return error instanceof Error ? error.name : ERROR.other;
}

/** Why a call has no result of its tool. */
function whyNot(meta: unknown): string {
  const { non_execution_kind: kind, permission_decision: decision } = isRecord(meta) ? meta : {};
  if (isRecord(decision) && decision.decision === 'reject') return ERROR.denied;
  // An interrupt is shown as a rejection that nobody has decided.
  return kind === 'interrupted' || kind === 'user-rejected' ? ERROR.cancelled : ERROR.tool;
}

function shownOutput(output: unknown): unknown {
  return isRecord(output) && 'content' in output ? (output.structuredContent ?? output.content) : output;
}
