import type { StoppedBy } from '../tasks/task.js';

/** The `subagent_stats` of a result: what became of the subagents of the conversation. */
export interface SubagentStats {
  spawned: number;
  requested: { background: number; foreground: number; unset: number };
  started_in_background: number;
  max_depth: number;
  spawned_by_subagents: number;
  completed: number;
  failed: number;
  killed: Record<StoppedBy, number>;
  refused: { depth_limit: number; concurrency_limit: number; budget: number };
  by_type: Record<string, number>;
}

export function emptyStats(): SubagentStats {
  return {
    spawned: 0,
    requested: { background: 0, foreground: 0, unset: 0 },
    started_in_background: 0,
    max_depth: 0,
    spawned_by_subagents: 0,
    completed: 0,
    failed: 0,
    killed: { parent: 0, user: 0, system: 0 },
    refused: { depth_limit: 0, concurrency_limit: 0, budget: 0 },
    by_type: {},
  };
}

/** Counts an agent that starts. */
export function countStart(
  stats: SubagentStats,
  started: { type: string; depth: number; isBackground: boolean; requested: boolean | undefined },
): void {
  const { type, depth, isBackground, requested } = started;
  stats.spawned += 1;
  stats.requested[requested === undefined ? 'unset' : requested ? 'background' : 'foreground'] += 1;
  if (isBackground) stats.started_in_background += 1;
  if (depth > 1) stats.spawned_by_subagents += 1;
  stats.max_depth = Math.max(stats.max_depth, depth);
  stats.by_type[type] = (stats.by_type[type] ?? 0) + 1;
}
