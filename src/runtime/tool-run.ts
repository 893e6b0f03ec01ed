import type { ToolUseBlock } from '../protocol/content.js';
import { AbortError, messageOf } from '../protocol/errors.js';
import { type HookRunner, labelOf } from './hook-runner.js';
import type { Lines } from './lines.js';
import type { Permissions } from './permissions.js';
import { failedOutcome, type RuntimeTool, type ToolOutcome } from './tools/tool-port.js';

export interface ToolRunResult {
  block: ToolUseBlock;
  outcome: ToolOutcome;
  /** `tool_result_meta` of the line. */
  meta: Record<string, unknown>;
  contexts: string[];
  /** The host or a hook ends the turn: `defer` before this call has run at all. */
  stop: { kind: 'hook' | 'interrupt' | 'defer'; reason: string } | undefined;
  denied: boolean;
}

export interface ToolRunDependencies {
  find(name: string): RuntimeTool | undefined;
  hooks: HookRunner;
  permissions: Permissions;
  lines: Lines;
}

/** How often the host hears that a long call is still running. */
const HEARTBEAT_MS = 30_000;

/** One tool call from the model's wish to the result: hooks, permission, the tool, hooks. */
export async function runTool(
  block: ToolUseBlock,
  { find, hooks, permissions, lines }: ToolRunDependencies,
  signal: AbortSignal,
): Promise<ToolRunResult> {
  const result: ToolRunResult = {
    block,
    outcome: failedOutcome(''),
    meta: { id: block.id },
    contexts: [],
    stop: undefined,
    denied: false,
  };
  const tool = find(block.name);
  if (tool === undefined || permissions.isRemoved(tool))
    return { ...result, outcome: noSuchTool(block.name) };
  // A copy: in memory the handler gets this very object, and the model's own words must stay as they were.
  let input = structuredClone(block.input ?? {}) as Record<string, unknown>;
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
  input = before.updatedInput ?? input;
  const decision = await permissions.decide({ tool, toolUseId: block.id, input, hook: before, signal });
  if (decision.kind === 'deny') {
    if (decision.interrupt) result.stop = { kind: 'interrupt', reason: decision.message };
    return refuse(result, decision.message, decision.fields);
  }
  Object.assign(result.meta, decision.fields);
  const started = performance.now();
  result.outcome = await execute(tool, decision.input, block.id, signal, lines);
  if (result.outcome.wasCut) result.meta.non_execution_kind = 'interrupted';
  await after(result, hooks, call, { ...subject, tool_input: decision.input }, performance.now() - started);
  return result;
}

function noSuchTool(name: string): ToolOutcome {
  const detail = `Error: No such tool available: ${name}`;
  return { content: `<tool_use_error>${detail}</tool_use_error>`, isError: true, detail };
}

const DENIED_BY_HOOK = {
  non_execution_kind: 'permission-rule',
  permission_decision: { decision: 'reject', source: 'hook', reason_type: 'hook' },
};

function deferred(result: ToolRunResult): ToolRunResult {
  result.stop = { kind: 'defer', reason: '' };
  result.outcome = failedOutcome('The call was put off by a hook. It has not run.');
  return result;
}

function refuse(result: ToolRunResult, message: string, fields: object): ToolRunResult {
  result.denied = true;
  Object.assign(result.meta, fields);
  result.outcome = failedOutcome(message);
  return result;
}

async function execute(
  tool: RuntimeTool,
  input: Record<string, unknown>,
  toolUseId: string,
  signal: AbortSignal,
  lines: Lines,
): Promise<ToolOutcome> {
  const started = performance.now();
  let beats = 0;
  const report = (id: string, more: object): void =>
    void lines.send({
      type: 'tool_progress',
      tool_use_id: id,
      tool_name: tool.name,
      parent_tool_use_id: toolUseId,
      elapsed_time_seconds: Math.round((performance.now() - started) / 1000),
      ...more,
    });
  const heart = setInterval(
    () => report(`${toolUseId}-heartbeat-${beats++}`, { heartbeat: true }),
    HEARTBEAT_MS,
  );
  try {
    const onProgress = ({ progress, total, message }: Record<string, unknown>): void =>
      report(toolUseId, { progress, total, message });
    return await tool.run({ toolUseId, input, signal, onProgress });
  } catch (error) {
    if (signal.aborted || error instanceof AbortError) throw error;
    return failedOutcome(messageOf(error));
  } finally {
    clearInterval(heart);
  }
}

async function after(
  result: ToolRunResult,
  hooks: HookRunner,
  call: { subject: string; toolUseId: string; signal: AbortSignal },
  fields: Record<string, unknown>,
  durationMs: number,
): Promise<void> {
  const { outcome } = result;
  const duration_ms = Math.round(durationMs);
  const event = outcome.isError ? 'PostToolUseFailure' : 'PostToolUse';
  const what = outcome.isError
    ? { error: outcome.content, is_interrupt: false }
    : { tool_response: outcome.detail };
  const verdict = await hooks.run({ event, ...call, fields: { ...fields, ...what, duration_ms } });
  result.contexts.push(...verdict.contexts);
  if (verdict.block !== undefined) {
    result.contexts.push(
      `${labelOf({ event, subject: call.subject })} hook blocking error: ${verdict.block}`,
    );
  }
  if (verdict.stop !== undefined) result.stop = { kind: 'hook', reason: verdict.stop };
  if (verdict.updatedOutput !== undefined) {
    result.outcome = {
      content: contentOf(verdict.updatedOutput),
      isError: false,
      detail: verdict.updatedOutput,
    };
  }
}

function contentOf(output: unknown): ToolOutcome['content'] {
  if (typeof output === 'string') return output;
  const blocks = Array.isArray(output) ? output : (output as { content?: unknown })?.content;
  if (Array.isArray(blocks)) return blocks as ToolOutcome['content'];
  return JSON.stringify(output);
}
