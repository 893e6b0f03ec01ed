/** Characters that a tool's name may not have; the CLI replaces them with `_`. */
const FOREIGN = /[^a-zA-Z0-9_-]/g;

/** The prefix of the names of all tools of a server, and the rule that covers all of them: `mcp__server`. */
export function mcpToolPrefix(server: string): string {
  return `mcp__${server}`.replace(FOREIGN, '_');
}

/** The name by which the model knows a server's tool. */
export function mcpToolName(server: string, tool: string): string {
  return `${mcpToolPrefix(server)}__${tool.replace(FOREIGN, '_')}`;
}

/** A rule about tools of servers, or a pattern, with every name in it spelled as `mcpToolName` spells it. */
export function mcpRuleName(rule: string): string {
  return rule.startsWith('mcp__') ? rule.replace(/[^a-zA-Z0-9_*-]/g, '_') : rule;
}
