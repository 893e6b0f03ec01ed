import { LIMITS } from '../../protocol/base/limits.js';
import type { Caller, Subagents } from './subagents.js';

/** Throws if no more agents can run, or none below this caller. */
export function checkRoom({ surroundings, tally }: Subagents, { depth }: Caller): void {
  const { tasks } = surroundings.conversation;
  const agents = [...tasks.foreground, ...tasks.background].filter(
    ({ start }) => start.type === 'local_agent',
  );
  if (agents.length >= LIMITS.maxSubagents) {
    tally.refused.concurrency_limit += 1;
    throw new Error(`${agents.length} agents are running, and no more can: wait for one of them to end.`);
  }
  if (depth >= LIMITS.maxSubagentDepth) {
    tally.refused.depth_limit += 1;
    throw new Error(`Agents may call agents ${LIMITS.maxSubagentDepth} levels deep: do it yourself.`);
  }
}
