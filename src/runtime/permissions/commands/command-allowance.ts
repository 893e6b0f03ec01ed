import type { RuleInForce } from '../../../protocol/permissions/permission-decision.js';
import type { Judgement } from '../judgement.js';
import type { ReadCase } from './command-case.js';
import type { Coverage } from './command-coverage.js';
import { restrictingRule } from './command-rules.js';

export type Allowance = NonNullable<Judgement['allowed']> & {
  /** By a rule for every command. */
  readonly isWhole: boolean;
};

/** What lets a line run: a rule for all commands, or something for each command in it. */
export function allowance(read: ReadCase, covered: readonly Coverage[]): Allowance | undefined {
  if (mayBeForbidden(read)) return undefined;
  const whole = read.rules.find(
    ({ kind, rule }) => kind === 'allow' && rule.specifier === undefined && rule.problem === undefined,
  );
  if (whole !== undefined) return { by: 'rule', type: 'rule', rule: whole, isWhole: true };
  const { doubts, commands, isBackground } = read.line;
  const isClear = doubts.length === 0 && !isBackground && !read.files.isAdrift && !read.files.hasUnknown;
  if (!isClear || commands.length === 0 || !covered.every(({ isCovered }) => isCovered)) return undefined;
  const rule = covered.find((each) => each.rule !== undefined)?.rule;
  const isExact = covered.length === 1 && rule !== undefined && namesExactly(rule, read.command.trim());
  return { by: 'rule', type: isExact ? 'rule' : 'subcommandResults', rule, isWhole: false };
}

/** Where something is forbidden, only what is understood can be known not to be that. */
function mayBeForbidden({ rules, found, files, places }: ReadCase): boolean {
  const hasRestrictions = rules.some(({ kind, rule }) => kind !== 'allow' && rule.specifier !== undefined);
  if (!hasRestrictions && !places.rules.areRestricting) return false;
  return (
    found.isIncomplete ||
    files.mayBeRestricted ||
    restrictingRule('deny', rules, found, 'maybe') !== undefined ||
    restrictingRule('ask', rules, found, 'maybe') !== undefined
  );
}

function namesExactly({ rule }: RuleInForce, source: string): boolean {
  return rule.specifier === source || rule.specifier === `${source}:*`;
}
