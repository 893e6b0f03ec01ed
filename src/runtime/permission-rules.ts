import type { RuntimeTool } from './tools/tool-port.js';

type Subject = Pick<RuntimeTool, 'name' | 'server'>;

/** A rule of `allowedTools` or `disallowedTools`: a tool's name, `mcp__server`, or a pattern after the server. */
function ruleMatches(rule: string, { name, server }: Subject): boolean {
  if (rule === name) return true;
  // A pattern must name a server: `mcp__*` and `*` match nothing, because to allow whatever any server brings is no
  // rule that one writes by accident.
  if (server === undefined) return false;
  const prefix = `mcp__${server.name.replace(/[^a-zA-Z0-9_-]/g, '_')}`;
  if (rule === prefix) return true;
  if (!rule.includes('*') || !rule.startsWith(`${prefix}__`)) return false;
  const pattern = rule.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`).test(name);
}

export function matchesAny(rules: Iterable<string>, tool: Subject): boolean {
  for (const rule of rules) if (ruleMatches(rule, tool)) return true;
  return false;
}
