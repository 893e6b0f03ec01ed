import { type Attributes, type Context, context, createContextKey } from '@opentelemetry/api';
import type { ToolInvocation } from '../mcp/call-middleware.js';
import type { CallToolResult } from '../mcp/types.js';
import type { TracedCaller } from '../options/tracer.js';
import { isRecord } from '../protocol/base/kinds.js';
import { ATTRIBUTE, ERROR, OPERATION, OWN_ATTRIBUTE, TOOLS_CALL } from './names.js';
import { SpanKind, type SpanOperation } from './operation.js';
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
    const call = context.active().getValue(CALL) as TracedCall | undefined;
    return call !== undefined && this.#running.has(call) ? call : undefined;
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
    const { toolUseId: id, toolName: name, input } = invocation;
    const known = id === undefined ? undefined : this.#calls.get(id);
    const call: TracedCall = known ?? { id, name, input, owner, readyAt: this.#setting.time.now() };
    if (id !== undefined && known === undefined) this.#calls.set(id, call);
    // The runtime asks the host for tools of in-process servers: the host's part is within the runtime's.
    const isWithin = call.operation !== undefined && call.caller === 'runtime' && by === 'host';
    if (!isWithin) call.caller = by;
    const operation = this.#begun(call);
    operation.set(mcpAttributes(invocation));
    const began = this.#setting.time.now();
    const running = context.with(operation.context.setValue(CALL, call), run);
    const settle = (errorType: string | undefined, more: Attributes, output?: unknown): void =>
      this.#setting.safely(() => {
        const side = by === 'host' ? 'server' : 'client';
        if (invocation.server !== undefined)
          this.#setting.metrics.mcp(side, this.#setting.time.now() - began, mcpMetric(invocation, errorType));
        if (isWithin) return;
        operation.set(more);
        this.#end(call, errorType, output);
      });
    running.then(
      (result) => settle(result.isError ? ERROR.tool : undefined, {}, result),
      (error) => settle(errorOf(error, invocation.signal), faultAttributes(error)),
    );
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
        // In the words of the conventions: who runs it, the program or the agent.
        [ATTRIBUTE.toolType]: caller === 'host' ? 'function' : 'extension',
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

function mcpAttributes({ server, sessionId }: ToolInvocation): Attributes {
  if (server === undefined) return {};
  return {
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
