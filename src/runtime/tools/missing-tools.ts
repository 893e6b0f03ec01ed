import type { AgentPlan } from '../../options/plan.js';
import { parseRule } from '../../protocol/permissions/permission-rules.js';

/**
 * Warnings about built-in tools that the options name and this agent does not have. Tools of servers may
 * appear later.
 */
export function missingTools(
  { allowedTools, tools }: AgentPlan,
  known: { has(name: string): boolean },
): string[] {
  const isMissing = (name: string): boolean =>
    !name.startsWith('mcp__') && !name.includes('*') && name !== '' && !known.has(name);
  const allowed = allowedTools.filter((text) => {
    const rule = parseRule(text);
    return rule.problem === undefined && isMissing(rule.tool);
  });
  const named = Array.isArray(tools) ? tools.filter(isMissing) : [];
  return [
    ...allowed.map(
      (text) => `\`allowedTools\` has "${text}", but this agent has no such tool: it allows nothing.`,
    ),
    ...named.map((text) => `\`tools\` has "${text}", but this agent has no such tool.`),
  ];
}
