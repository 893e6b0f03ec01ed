import type { RuleInForce } from '../protocol/permissions/permission-decision.js';

const CHANGING = ['MultiEdit', 'NotebookEdit', 'Write'];
const SEARCHING = ['Glob', 'Grep'];

/** The tools whose calls a rule with a path concerns beside those of its own: who may not read a file may not change it. */
const REACH: Readonly<Record<string, readonly string[]>> = {
  'allow Edit': [...CHANGING, 'Read'],
  'ask Edit': [...CHANGING, 'Bash'],
  'deny Edit': [...CHANGING, 'Bash'],
  'allow Read': SEARCHING,
  'ask Read': [...SEARCHING, 'Bash'],
  'deny Read': [...SEARCHING, ...CHANGING, 'Edit', 'Bash'],
};

/** Whether a rule for another tool, such as `Edit(docs/**)`, decides about some calls of this one. */
export function reaches({ kind, rule }: RuleInForce, tool: string): boolean {
  if (rule.specifier === undefined || rule.problem !== undefined) return false;
  return REACH[`${kind} ${rule.tool}`]?.includes(tool) === true;
}

/** What to say of an allow rule that allows nothing: paths that may be changed are named by `Edit(…)` alone. */
export function uselessRule({ kind, rule: { tool, specifier, text }, source }: RuleInForce): string[] {
  const isUseless = kind === 'allow' && specifier !== undefined && /^(Write|NotebookEdit)$/.test(tool);
  return isUseless
    ? [`${source} "${text}" allows nothing: paths that may be changed are named by Edit(${specifier}).`]
    : [];
}
