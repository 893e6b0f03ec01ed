import { parseRule, type RuleKind } from '../../../protocol/permissions/permission-rules.js';
import { isAllowedBy } from './command-coverage.js';
import { restrictingRule } from './command-rules.js';
import { findCommands } from './found-commands.js';
import { readShellLine } from './shell-line.js';

/**
 * Whether one rule concerns a command, where nothing is known but its text. To restrict, one part is enough, and what
 * is not understood may be one; to allow, all must be understood and covered.
 */
export function matchesCommand(specifier: string, command: string, kind: RuleKind): boolean {
  const line = readShellLine(command);
  const found = findCommands(line);
  if (kind !== 'allow') {
    const rule = { kind, rule: { ...parseRule('Bash'), specifier }, source: 'session' };
    return found.isIncomplete || restrictingRule(kind, [rule], found, 'maybe') !== undefined;
  }
  const writes = line.commands.some(({ redirects }) => redirects.some(({ target }) => target !== undefined));
  if (line.doubts.length > 0 || line.isBackground || writes || line.commands.length === 0) return false;
  return line.commands.every((each) => isAllowedBy(specifier, each));
}
