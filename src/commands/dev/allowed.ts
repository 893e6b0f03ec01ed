import type { CanUseTool } from '../../index.js';
import { shownName } from '../run/tool-text.js';

/** Those about the agent's own tools (`Read`, `Bash(ls:*)`), which it decides itself. */
export function agentRules(given: readonly string[]): string[] {
  return given.filter((rule) => /^[A-Z]/.test(rule));
}

/**
 * Allows the MCP tools that a rule names, by any of their names; `mcp__shop__*` is all of a server. Asks about the rest.
 * Decided here and not by the agent, because a tool may be written after the conversation has begun.
 */
export function allowing(rules: readonly string[], ask: CanUseTool): CanUseTool {
  return async (tool, input, context) => {
    const short = shownName(tool);
    const names = [tool, short, short.slice(short.indexOf('.') + 1)];
    const matches = (rule: string): boolean =>
      rule.endsWith('*') ? tool.startsWith(rule.slice(0, -1)) : names.includes(rule);
    return tool.startsWith('mcp__') && rules.some(matches)
      ? { behavior: 'allow' }
      : ask(tool, input, context);
  };
}
