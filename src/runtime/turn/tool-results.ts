import type { ToolResultBlockParam, ToolUseBlock, UserContentBlock } from '../../protocol/wire/content.js';
import type { Lines } from '../conversation/lines.js';
import type { UserFields } from '../conversation/written-lines.js';
import type { ToolRunResult } from './tool-run.js';

const REJECTED = 'The call was stopped before it had a result. It may have had an effect.';

export interface ShownResults {
  /** For the model: one result per call, in the order of the calls, followed by what hooks have added. */
  blocks: UserContentBlock[];
  stop: ToolRunResult['stop'];
  /** The first call that a hook has deferred. */
  deferred: ToolUseBlock | undefined;
  /** The ids of the lines. */
  shown: string[];
}

/** Shows the host the result of every call in an answer. Calls that did not complete have one too. */
export function showResults(
  asked: readonly ToolUseBlock[],
  settled: readonly PromiseSettledResult<ToolRunResult>[],
  lines: Lines,
  noteDenial: (run: ToolRunResult) => void,
): ShownResults {
  const results: ShownResults = { blocks: [], stop: undefined, deferred: undefined, shown: [] };
  for (const [index, block] of asked.entries()) {
    const outcome = settled[index];
    const run = outcome?.status === 'fulfilled' ? outcome.value : undefined;
    if (run?.denied) noteDenial(run);
    // Stopping the turn takes precedence over deferring, because the other calls have already run.
    if (run?.stop !== undefined && rank(run.stop) > rank(results.stop)) results.stop = run.stop;
    if (run?.stop?.kind === 'defer') results.deferred ??= block;
    // The model does not read the reason of an interrupting denial: its turn is over.
    const isRejected = run === undefined || run.stop?.kind === 'interrupt';
    const result = isRejected ? rejected(block) : resultOf(run);
    results.blocks.push(result);
    if (run?.stop?.kind === 'defer') continue;
    results.shown.push(lines.user([result], isRejected ? rejectedFields(block) : fieldsOf(run)));
  }
  const contexts = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value.contexts : []));
  for (const text of contexts) results.blocks.push({ type: 'text', text });
  return results;
}

function rank(stop: ToolRunResult['stop']): number {
  return stop === undefined ? 0 : { defer: 1, hook: 2, interrupt: 3 }[stop.kind];
}

function resultOf({ block, outcome: { content, isError } }: ToolRunResult): ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: block.id,
    content,
    ...(isError ? { is_error: true } : {}),
  };
}

function fieldsOf({ outcome, meta }: ToolRunResult): UserFields {
  const saysMore = Object.keys(meta).length > 1;
  return { tool_use_result: outcome.detail, ...(saysMore ? { tool_result_meta: [meta] } : {}) };
}

function rejected({ id }: ToolUseBlock): ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: id, content: REJECTED, is_error: true };
}

function rejectedFields({ id }: ToolUseBlock): UserFields {
  return {
    tool_use_result: 'User rejected tool use',
    tool_result_meta: [{ id, non_execution_kind: 'user-rejected' }],
  };
}
