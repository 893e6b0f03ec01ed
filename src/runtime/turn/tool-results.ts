import type { ToolResultBlockParam, ToolUseBlock, UserContentBlock } from '../../protocol/wire/content.js';
import type { Lines } from '../conversation/lines.js';
import type { UserFields } from '../conversation/written-lines.js';
import type { ToolRunResult } from './tool-run.js';

const REJECTED = 'The call was stopped before it had a result. It may have had an effect.';
const DENIED = 'The call was denied, and the turn ended with it. It has not run.';

export interface ShownResults {
  /** For the model: one result per call, in the order of the calls, followed by what hooks have added. */
  blocks: UserContentBlock[];
  stop: ToolRunResult['stop'];
  /** The calls that a hook has deferred; undefined: none. */
  deferred: ToolUseBlock[] | undefined;
  /** The ids of the lines, in the order of the calls. */
  shown: string[];
}

/**
 * Shows the host the result of every call in an answer as soon as it is there: one that waits for an approval
 * does not hold up the others. Calls that did not complete have one too.
 */
export async function showResults(
  asked: readonly ToolUseBlock[],
  calls: readonly Promise<ToolRunResult>[],
  lines: Lines,
  noteDenial: (run: ToolRunResult) => void,
): Promise<ShownResults> {
  const all = await Promise.all(
    asked.map(async (block, index) => showResult(block, await calls[index]?.catch(() => undefined), lines)),
  );
  const results: ShownResults = { blocks: [], stop: undefined, deferred: undefined, shown: [] };
  for (const { run, block, result, lines: shown } of all) {
    if (run?.denied) noteDenial(run);
    // Stopping the turn takes precedence over deferring, because the other calls have already run.
    if (run?.stop !== undefined && rank(run.stop) > rank(results.stop)) results.stop = run.stop;
    if (run?.stop?.kind === 'defer') results.deferred = [...(results.deferred ?? []), block];
    results.blocks.push(result);
    results.shown.push(...shown);
  }
  for (const { run, added } of all) {
    for (const text of [...(run?.contexts ?? []), ...added]) results.blocks.push({ type: 'text', text });
  }
  return results;
}

interface ShownResult {
  run: ToolRunResult | undefined;
  block: ToolUseBlock;
  result: ToolResultBlockParam;
  /** The ids of its lines: the result's, unless the call was deferred, and those of what the tool has added. */
  lines: string[];
  /** What the tool has added for the model, after all results. */
  added: string[];
}

function showResult(block: ToolUseBlock, run: ToolRunResult | undefined, lines: Lines): ShownResult {
  // The model does not read the reason of an interrupting denial: its turn is over.
  const isRejected = run === undefined || run.stop?.kind === 'interrupt';
  const result = isRejected ? rejected(block, run?.denied ? DENIED : REJECTED) : resultOf(run);
  if (run?.stop?.kind === 'defer') return { run, block, result, lines: [], added: [] };
  const shown = [lines.user([result], isRejected ? rejectedFields(block) : fieldsOf(run))];
  const added = isRejected ? [] : (run.outcome.added ?? []);
  for (const { text, isShown } of added) {
    if (isShown) shown.push(lines.user([{ type: 'text', text }], { isSynthetic: true }));
  }
  return { run, block, result, lines: shown, added: added.map(({ text }) => text) };
}

function rank(stop: ToolRunResult['stop']): number {
  return stop === undefined ? 0 : { defer: 1, hook: 2, journal: 3, interrupt: 4 }[stop.kind];
}

function resultOf({ block, outcome: { content, isError } }: ToolRunResult): ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: block.id,
    content,
    ...(isError === undefined ? {} : { is_error: isError }),
  };
}

function fieldsOf({ outcome, meta }: ToolRunResult): UserFields {
  const saysMore = Object.keys(meta).length > 1;
  return { tool_use_result: outcome.detail, ...(saysMore ? { tool_result_meta: [meta] } : {}) };
}

function rejected({ id }: ToolUseBlock, content: string): ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: id, content, is_error: true };
}

function rejectedFields({ id }: ToolUseBlock): UserFields {
  return {
    tool_use_result: 'User rejected tool use',
    tool_result_meta: [{ id, non_execution_kind: 'user-rejected' }],
  };
}
