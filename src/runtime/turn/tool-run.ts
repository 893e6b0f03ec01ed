import type { ComposedCalls } from '../../mcp/call-middleware.js';
import { untilAborted } from '../../protocol/base/cancellation.js';
import { clock } from '../../protocol/base/clock.js';
import { AbortError, messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { ToolUseBlock } from '../../protocol/wire/content.js';
import type { SDKToolProgressMessage } from '../../protocol/wire/messages/index.js';
import { progressFields } from '../../protocol/wire/progress.js';
import type { Lines } from '../conversation/lines.js';
import type { ToolResultMeta } from '../conversation/written-lines.js';
import { type HookFields, labelOf } from '../hooks/hook-call.js';
import type { Hooks } from '../hooks/hook-runner.js';
import type { TurnPermissions } from '../permissions/asking-agent.js';
import type { DecisionFields } from '../permissions/reports.js';
import type { ResultBounds } from '../tools/result-bounds.js';
import {
  failedOutcome,
  type PreparedCall,
  type RuntimeTool,
  type ToolCall,
  type ToolOutcome,
} from '../tools/tool-port.js';
import { PUT_OFF } from '../transcript/pairs.js';
import type { DurableCalls } from './durable-calls.js';
import { runThrough } from './tool-middleware.js';

export interface ToolRunResult {
  block: ToolUseBlock;
  /** The input as hooks and the host have seen it. */
  input: unknown;
  outcome: ToolOutcome;
  /** The `tool_result_meta` of the line. */
  meta: ToolResultMeta;
  contexts: string[];
  /** Why the host or a hook ends the turn; `defer`: before this call has run at all. */
  stop: { kind: 'hook' | 'interrupt' | 'defer' | 'journal'; reason: string } | undefined;
  denied: boolean;
}

export interface ToolRunDependencies {
  find(name: string): RuntimeTool | undefined;
  hooks: Hooks;
  permissions: TurnPermissions;
  lines: Lines;
  middleware?: ComposedCalls | undefined;
  /** What the model reads of a result, whatever it came from. */
  bounds: Pick<ResultBounds, 'bound'>;
  /** Where calls are journaled; undefined: nowhere. */
  durable?: DurableCalls | undefined;
}

/** One tool call from request to a result that the model can read. */
export async function runTool(
  block: ToolUseBlock,
  problem: string | undefined,
  dependencies: ToolRunDependencies,
  signal: AbortSignal,
): Promise<ToolRunResult> {
  const result = await runWhole(block, problem, dependencies, signal);
  result.outcome = dependencies.bounds.bound(dependencies.find(block.name), result.outcome);
  return result;
}

/** Hooks, permission, the tool, hooks. With a `problem` none of them runs. */
async function runWhole(
  block: ToolUseBlock,
  problem: string | undefined,
  { find, hooks, permissions, lines, middleware, durable }: ToolRunDependencies,
  signal: AbortSignal,
): Promise<ToolRunResult> {
  const result = resultWith(block, failedOutcome(''));
  if (problem !== undefined) return { ...result, outcome: failedOutcome(problem) };
  const tool = find(block.name);
  if (tool === undefined || permissions.isRemoved(tool))
    return { ...result, outcome: noSuchTool(block.name) };
  // A copy: an in-process handler gets this very object, and must not change the model's answer.
  let input = structuredClone(block.input ?? {}) as Record<string, unknown>;
  const given = input;
  let prepared = await prepare(tool, input);
  signal.throwIfAborted();
  input = prepared.input ?? input;
  result.input = input;
  const forbidden = permissions.forbids(tool, prepared.access);
  if (forbidden !== undefined) return forbid(result, forbidden);
  if (prepared.problem !== undefined) return { ...result, outcome: misused(prepared.problem) };
  const subject = {
    tool_name: tool.name,
    tool_use_id: block.id,
    ...(tool.server === undefined ? {} : { mcp_server: tool.server }),
  };
  const call = { subject: tool.name, toolUseId: block.id, signal };
  const before = await hooks.run({ event: 'PreToolUse', ...call, fields: { ...subject, tool_input: input } });
  signal.throwIfAborted();
  result.contexts.push(...before.contexts);
  if (before.stop !== undefined) result.stop = { kind: 'hook', reason: before.stop };
  if (before.unanswered !== undefined) {
    result.outcome = failedOutcome(before.unanswered);
    return result;
  }
  if (before.block !== undefined || before.stop !== undefined) {
    const reason = before.block ?? before.stop ?? '';
    return refuse(result, `PreToolUse:${tool.name} hook error: ${reason}`, DENIED_BY_HOOK);
  }
  if (before.defer) return deferred(result);
  if (before.updatedInput !== undefined) {
    prepared = await prepare(tool, before.updatedInput);
    if (prepared.problem !== undefined) return { ...result, outcome: misused(prepared.problem) };
    input = prepared.input ?? before.updatedInput;
  }
  const { access } = prepared;
  const decision = await permissions.decide({
    tool,
    toolUseId: block.id,
    input,
    access,
    prepare: (changed) => prepare(tool, changed),
    hook: before,
    signal,
  });
  if (decision.kind === 'deny') {
    if (decision.interrupt) result.stop = { kind: 'interrupt', reason: decision.message };
    return refuse(result, decision.message, decision.fields);
  }
  Object.assign(result.meta, decision.fields);
  const started = clock.monotonic();
  const permitted = { toolUseId: block.id, input: decision.input, given, access: decision.access, signal };
  // What has no effect need not be remembered.
  if (durable === undefined || tool.needsNoPermission) {
    result.outcome = await execute(tool, permitted, lines, middleware);
  } else {
    await durable.run(result, tool, permitted, (call) => execute(tool, call, lines, middleware));
  }
  if (result.outcome.wasCut) result.meta.non_execution_kind = 'interrupted';
  await runAfterHooks(
    result,
    tool,
    hooks,
    call,
    { ...subject, tool_input: decision.input },
    clock.monotonic() - started,
  );
  return result;
}

/** The result of a call that nobody objects to. */
export function resultWith(block: ToolUseBlock, outcome: ToolOutcome): ToolRunResult {
  return {
    block,
    input: block.input,
    outcome,
    meta: { id: block.id },
    contexts: [],
    stop: undefined,
    denied: false,
  };
}

function noSuchTool(name: string): ToolOutcome {
  const detail = `Error: No such tool available: ${name}`;
  return { content: `<tool_use_error>${detail}</tool_use_error>`, isError: true, detail };
}

const DENIED_BY_HOOK: DecisionFields = {
  non_execution_kind: 'permission-rule',
  permission_decision: { decision: 'reject', source: 'hook', reason_type: 'hook' },
};

/** A rule forbids the file: no hook hears of it, and the model is told as of any other mistake. */
function forbid(result: ToolRunResult, message: string): ToolRunResult {
  result.denied = true;
  result.meta.permission_decision = { decision: 'reject', source: 'config', reason_type: 'rule' };
  return { ...result, outcome: misused(message) };
}

function deferred(result: ToolRunResult): ToolRunResult {
  result.stop = { kind: 'defer', reason: '' };
  result.outcome = failedOutcome(PUT_OFF);
  return result;
}

function refuse(result: ToolRunResult, message: string, fields: DecisionFields): ToolRunResult {
  result.denied = true;
  Object.assign(result.meta, fields);
  result.outcome = failedOutcome(message);
  return result;
}

/** Throws nothing: what a tool cannot make sense of is the model's to mend. */
async function prepare(tool: RuntimeTool, input: Record<string, unknown>): Promise<PreparedCall> {
  try {
    return (await tool.prepare?.(input)) ?? {};
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** A call that makes no sense, in the form in which models know it. */
function misused(problem: string): ToolOutcome {
  return {
    content: `<tool_use_error>${problem}</tool_use_error>`,
    isError: true,
    // The name of an error in front is kept, for programs that look for it.
    detail: /^\w+Error: /.test(problem) ? problem : `Error: ${problem}`,
  };
}

async function execute(
  tool: RuntimeTool,
  call: ToolCall,
  lines: Lines,
  middleware: ComposedCalls | undefined,
): Promise<ToolOutcome> {
  const { toolUseId, signal } = call;
  const started = clock.monotonic();
  let beats = 0;
  const report = (id: string, more: Partial<SDKToolProgressMessage>): void =>
    void lines.send({
      type: 'tool_progress',
      tool_use_id: id,
      tool_name: tool.name,
      parent_tool_use_id: toolUseId,
      elapsed_time_seconds: Math.round((clock.monotonic() - started) / 1000),
      ...more,
    });
  const heart = clock.setInterval(
    () => report(`${toolUseId}-heartbeat-${beats++}`, { heartbeat: true }),
    LIMITS.toolHeartbeatMs,
  );
  try {
    const onProgress = (said: Record<string, unknown>): void => report(toolUseId, progressFields(said));
    const told = { ...call, onProgress };
    const running =
      middleware === undefined ? tool.run(told) : runThrough(middleware, tool, told, lines.sessionId);
    // The hub cancels calls to servers; user code may ignore the signal.
    const isUserCode = tool.server === undefined || middleware !== undefined;
    const outcome = await (isUserCode ? untilAborted(running, signal) : running);
    return outcome.detail === undefined ? { ...outcome, detail: outcome.content } : outcome;
  } catch (error) {
    if (signal.aborted || error instanceof AbortError) throw error;
    return failedOutcome(messageOf(error));
  } finally {
    clock.clearInterval(heart);
  }
}

export async function runAfterHooks(
  result: ToolRunResult,
  tool: RuntimeTool,
  hooks: Hooks,
  call: { subject: string; toolUseId: string; signal: AbortSignal },
  fields: HookFields<'PreToolUse'>,
  durationMs: number,
): Promise<void> {
  const { outcome } = result;
  const duration_ms = Math.round(durationMs);
  const event = outcome.isError ? 'PostToolUseFailure' : 'PostToolUse';
  const verdict = await hooks.run(
    event === 'PostToolUseFailure'
      ? { event, ...call, fields: { ...fields, error: errorText(outcome), is_interrupt: false, duration_ms } }
      : { event, ...call, fields: { ...fields, tool_response: outcome.detail, duration_ms } },
  );
  result.contexts.push(...verdict.contexts);
  if (verdict.block !== undefined) {
    result.contexts.push(
      `${labelOf({ event, subject: call.subject })} hook blocking error: ${verdict.block}`,
    );
  }
  if (verdict.stop !== undefined) result.stop = { kind: 'hook', reason: verdict.stop };
  const { updatedOutput: detail } = verdict;
  const content = detail === undefined ? undefined : (tool.shown ?? contentOf)(detail);
  if (content === undefined) return;
  const { isError, added } = outcome;
  result.outcome = { content, detail, isError, added };
}

/** Hooks get the reason of a failure as text, whatever the tool returned. */
function errorText({ content }: ToolOutcome): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

function contentOf(output: unknown): ToolOutcome['content'] {
  if (typeof output === 'string') return output;
  const blocks = Array.isArray(output) ? output : (output as { content?: unknown })?.content;
  if (Array.isArray(blocks)) return blocks as ToolOutcome['content'];
  return JSON.stringify(output);
}
