import { clock } from '../../protocol/base/clock.js';
import type { ToolUseBlock } from '../../protocol/wire/content.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import { tokensIn } from '../context/context-window.js';
import type { Task } from '../tasks/task.js';
import { activityOf, countCall, emptyToolStats, type ToolStats, toldStats } from './activity.js';

type Progress = Parameters<Task['progress']>[0];

/** What a subagent has done so far: its calls, the tools that it has used, and how long it took. */
export class AgentProgress {
  /** The names of the tools that it, and those that it waited for, have used. */
  readonly used = new Set<string>();
  readonly #started = clock.monotonic();
  readonly #stats = emptyToolStats();
  #calls = 0;

  /** Counts a call. Returns what the host is told of it. */
  called(
    block: ToolUseBlock,
    line: MessageFrame,
    agent: { cwd: string; description: string },
  ): Pick<Progress, 'description' | 'last_tool_name' | 'usage'> {
    this.#calls += 1;
    countCall(this.#stats, block);
    return {
      description: activityOf(block, agent.cwd) ?? agent.description,
      usage: this.usage(tokensSoFar(line, block)),
      last_tool_name: block.name,
    };
  }

  noteTools(names: Iterable<string>): void {
    for (const name of names) this.used.add(name);
  }

  usage(tokens: number): Progress['usage'] {
    const duration_ms = Math.round(clock.monotonic() - this.#started);
    return { total_tokens: tokens, tool_uses: this.#calls, duration_ms };
  }

  /** Undefined if there is nothing to tell. */
  get stats(): ToolStats | undefined {
    return toldStats(this.#stats);
  }
}

/** A guess, because the API counts the answer only at its end. */
function tokensSoFar({ message }: MessageFrame, { input }: ToolUseBlock): number {
  const { usage } = message as { usage?: Partial<Record<string, number>> };
  const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage ?? {};
  const asked = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return asked + Math.max(1, Math.round(tokensIn(JSON.stringify(input ?? {}))));
}
