import type { ToolResultBlockParam, ToolUseBlock, UserContentBlock } from '../protocol/content.js';
import type { Lines } from './lines.js';
import type { ToolRunResult } from './tool-run.js';

const REJECTED = 'The call was stopped before it had a result. It may have had an effect.';

export interface ShownResults {
  /** For the model: one result per call, in the order of the calls, and then what hooks have added. */
  blocks: UserContentBlock[];
  stop: ToolRunResult['stop'];
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
  const results: ShownResults = { blocks: [], stop: undefined, shown: [] };
  for (const [index, block] of asked.entries()) {
    const outcome = settled[index];
    const run = outcome?.status === 'fulfilled' ? outcome.value : undefined;
    if (run?.denied) noteDenial(run);
    results.stop ??= run?.stop;
    const result = run === undefined ? rejected(block) : resultOf(run);
    results.blocks.push(result);
    results.shown.push(lines.user([result], run === undefined ? rejectedFields(block) : fieldsOf(run)));
  }
  const contexts = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value.contexts : []));
  for (const text of contexts) results.blocks.push({ type: 'text', text });
  return results;
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
