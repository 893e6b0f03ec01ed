import { isRecord } from '../../protocol/base/kinds.js';
import type { ToolUseBlock } from '../../protocol/wire/content.js';
import type { RuntimeTool } from '../tools/tool-port.js';

export function isConcurrent(tool: RuntimeTool, { input }: ToolUseBlock): boolean {
  const { isReadOnly = false } = tool;
  return tool.isConcurrent?.(isRecord(input) ? input : {}) ?? isReadOnly;
}

/**
 * Runs the calls of one answer: those that change nothing in parallel, every other one alone, and all in the
 * order in which the model asked. Calls may be added while earlier ones run.
 */
export class ToolSchedule<Result> {
  /** In the order of the model. */
  readonly calls: Promise<Result>[] = [];
  /** The last call that must run alone. */
  #lastExclusive: Promise<unknown> = Promise.resolve();

  add(isConcurrent: boolean, run: () => Promise<Result>): Promise<Result> {
    const before = isConcurrent ? this.#lastExclusive : Promise.allSettled(this.calls);
    const call = before.then(run);
    this.calls.push(call);
    if (!isConcurrent) this.#lastExclusive = call.catch(() => {});
    return call;
  }
}
