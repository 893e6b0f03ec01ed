/** A rule of `allowedTools` or `disallowedTools`: a tool's name, `mcp__server`, or a pattern after the server. */
function ruleMatches(rule: string, toolName: string): boolean {
  if (rule === toolName) return true;
  // `mcp__*` and `*` match nothing: to allow whatever any server brings is no rule that one writes by accident.
  const [, prefix, server] = /^(mcp__(.+?))(?:__(.*))?$/.exec(rule) ?? [];
  if (prefix === undefined || server === undefined || server.includes('*')) return false;
  const rest = rule.slice(prefix.length);
  if (rest === '') return toolName.startsWith(`${prefix}__`);
  if (!rest.includes('*')) return false;
  const pattern = rule.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`).test(toolName);
}

export function matchesAny(rules: Iterable<string>, toolName: string): boolean {
  for (const rule of rules) if (ruleMatches(rule, toolName)) return true;
  return false;
}
