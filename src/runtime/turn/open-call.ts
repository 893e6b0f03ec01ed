import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type { JournalState } from '../../protocol/wire/journal.js';
import {
  failedOutcome,
  mayRepeat,
  type ReconciledCall,
  type RuntimeTool,
  type ToolCall,
  type ToolOutcome,
} from '../tools/tool-port.js';
import type { OpenCall } from '../transcript/open-calls.js';
import { type DurableCalls, outcomeIn, UNKNOWN } from './durable-calls.js';
import {
  resultWith,
  runAfterHooks,
  runTool,
  type ToolRunDependencies,
  type ToolRunResult,
} from './tool-run.js';

/** What finishes each of the calls. Rejects if the journal cannot be asked about one of them. */
export async function callsToFinish(
  open: readonly OpenCall[],
  dependencies: ToolRunDependencies,
  signal: AbortSignal,
): Promise<[OpenCall['block'], () => Promise<ToolRunResult>][]> {
  const { durable } = dependencies;
  return Promise.all(
    open.map(async (call) => {
      const known = (await durable?.look(call.block)) ?? { state: 'new' };
      return [call.block, () => finishCall(call, known, dependencies, signal)];
    }),
  );
}

/**
 * A call that had no result when its conversation was resumed: made, if nobody had begun it; else its result is looked
 * for, and if there is none the model is told so.
 */
async function finishCall(
  { block }: OpenCall,
  known: JournalState,
  dependencies: ToolRunDependencies,
  signal: AbortSignal,
): Promise<ToolRunResult> {
  const { durable, find } = dependencies;
  const make = (isAgain: boolean): Promise<ToolRunResult> =>
    runTool(block, undefined, { ...dependencies, durable: durable?.resumed(isAgain) }, signal);
  if (known.state === 'new' || durable === undefined) return make(false);
  const tool = find(block.name);
  if (known.state === 'done') return ended(block, outcomeIn(known.result), tool, dependencies, signal);
  if (tool !== undefined && mayRepeat(tool)) return make(true);
  const found = await reconcile(tool, block, durable, signal);
  if (typeof found === 'string') return resultWith(block, failedOutcome(found));
  return found.happened ? ended(block, found.outcome, tool, dependencies, signal) : make(true);
}

/** A text: nobody knows, and the model is told so. */
async function reconcile(
  tool: RuntimeTool | undefined,
  block: OpenCall['block'],
  durable: DurableCalls,
  signal: AbortSignal,
): Promise<ReconciledCall | string> {
  if (tool?.reconcile === undefined) return UNKNOWN;
  const call: ToolCall = {
    toolUseId: block.id,
    input: isRecord(block.input) ? structuredClone(block.input) : {},
    idempotencyKey: durable.keyOf(block.id),
    signal,
  };
  try {
    return await tool.reconcile(call);
  } catch (error) {
    if (signal.aborted) throw error;
    return `${UNKNOWN} Looking for it failed: ${messageOf(error)}`;
  }
}

/** Hooks may change what the model reads, such as by taking secrets out, so they see the result also now. */
async function ended(
  block: OpenCall['block'],
  outcome: ToolOutcome,
  tool: RuntimeTool | undefined,
  { hooks, bounds }: ToolRunDependencies,
  signal: AbortSignal,
): Promise<ToolRunResult> {
  const result = resultWith(block, outcome);
  if (tool !== undefined) {
    const call = { subject: tool.name, toolUseId: block.id, signal };
    const server = tool.server === undefined ? {} : { mcp_server: tool.server };
    const input = (block.input ?? {}) as Record<string, unknown>;
    const fields = { tool_name: tool.name, tool_use_id: block.id, ...server, tool_input: input };
    await runAfterHooks(result, tool, hooks, call, fields, 0);
  }
  result.outcome = bounds.bound(tool, result.outcome);
  return result;
}
