import type { ToolResultBlockParam, ToolUseBlock, UserContentBlock } from '../protocol/content.js';
import type { Lines } from './lines.js';
import type { ToolRunResult } from './tool-run.js';

const REJECTED = 'The call was stopped before it had a result. It may have had an effect.';

export interface ShownResults {
  /** For the model: one result per call, in the order of the calls, and then what hooks have added. */
  blocks: UserContentBlock[];
  stop: ToolRunResult['stop'];
  /** The first call that a hook has put off. */
  deferred: ToolUseBlock | undefined;
  /** Ids of the lines. */
  shown: string[];
}

/** Shows the host the result of every call that an answer has made. A call that came to nothing has one too. */
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
    // Who stops everything is heeded first, then who puts off: the others' calls have run.
    if (run?.stop !== undefined && rank(run.stop) > rank(results.stop)) results.stop = run.stop;
    if (run?.stop?.kind === 'defer') results.deferred ??= block;
    // "No, and stop" is not for the model to read: its turn is over.
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

function fieldsOf({ outcome, meta }: ToolRunResult): object {
  const saysMore = Object.keys(meta).length > 1;
  return { tool_use_result: outcome.detail, ...(saysMore ? { tool_result_meta: [meta] } : {}) };
}

function rejected({ id }: ToolUseBlock): ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: id, content: REJECTED, is_error: true };
}

function rejectedFields({ id }: ToolUseBlock): object {
  return {
    tool_use_result: 'User rejected tool use',
    tool_result_meta: [{ id, non_execution_kind: 'user-rejected' }],
  };
}
