import type { RuleInForce } from '../../../protocol/permissions/permission-decision.js';
import type { Judgement } from '../judgement.js';
import { type Allowance, allowance } from './command-allowance.js';
import type { CommandCase, ReadCase } from './command-case.js';
import { coverage } from './command-coverage.js';
import { touchedFiles } from './command-files.js';
import { type RestrictedCommand, restrictingRule } from './command-rules.js';
import { toldOf, unsafeTold } from './command-told.js';
import { findCommands } from './found-commands.js';
import { effectOf } from './known-commands.js';
import { readShellLine, type ShellCommand } from './shell-line.js';
import { withoutThinWrappers } from './thin-wrappers.js';

/** What is to be said about a command. What cannot be read, or cannot be known, lets nothing run. */
export async function judgeCommand(given: CommandCase): Promise<Judgement> {
  const line = readShellLine(given.command);
  const found = findCommands(line);
  const files = await touchedFiles(line, found, given);
  const read: ReadCase = { ...given, line, found, files };
  const denied = deniedBy(read);
  const covered = coverage(read);
  const allowed = allowance(read, covered);
  return {
    denied: denied === undefined || denied.isInShell ? undefined : { rule: denied.rule, type: denied.type },
    asked: askedBy(read),
    unsafe: unsafeIn(read, denied?.isInShell === true, allowed),
    changes: line.doubts.length > 0 || line.isBackground || !line.commands.every(isReading),
    allowed,
    told: toldOf(read, covered),
  };
}

interface Denial {
  readonly rule: RuleInForce;
  readonly type: 'rule' | 'subcommandResults';
  /** It is in the argument of a shell, which may never run it: the host is asked. */
  readonly isInShell: boolean;
}

function deniedBy({ rules, found, files, line }: ReadCase): Denial | undefined {
  const match = restrictingRule('deny', rules, found, 'yes');
  const type = line.doubts.length === 0 ? 'subcommandResults' : 'rule';
  const byCommand =
    match &&
    ({
      rule: match.rule,
      isInShell: match.command.isInShell,
      type: isExact(match, line) ? 'rule' : type,
    } as const);
  if (byCommand !== undefined && !byCommand.isInShell) return byCommand;
  const findings = [...files.touches.map(({ finding }) => finding), ...files.mentions];
  const rule = findings.find(({ denied }) => denied !== undefined)?.denied;
  return rule === undefined ? byCommand : { rule, type, isInShell: false };
}

/** The rule names the whole line, or all of it that `env` and the like run. */
function isExact({ rule, command }: RestrictedCommand, { commands }: ReadCase['line']): boolean {
  const named = rule.rule.specifier?.replace(/:\*$/, '').trim();
  const text = command.words.map(({ value, source }) => value ?? source).join(' ');
  return commands.length === 1 && commands[0]?.words[0]?.value !== 'xargs' && named === text;
}

function askedBy({ rules, found, files }: ReadCase): RuleInForce | undefined {
  const match = restrictingRule('ask', rules, found, 'yes');
  return match?.rule ?? files.touches.find(({ finding }) => finding.asked !== undefined)?.finding.asked;
}

function isReading({ words, redirects }: ShellCommand): boolean {
  const isQuiet = redirects.every(
    ({ access, target }) => access !== 'write' || target === undefined || target.value === '/dev/null',
  );
  return isQuiet && (words.length === 0 || effectOf(withoutThinWrappers(words))?.kind === 'read');
}

function unsafeIn(
  { files, line, mode }: ReadCase,
  isDeniedInShell: boolean,
  allowed: Allowance | undefined,
): Judgement['unsafe'] {
  const held = (reason: string): Judgement['unsafe'] => ({ told: unsafeTold(reason, []), holdsAlways: true });
  if (isDeniedInShell) return held('A rule denies a command in the script of a shell');
  if (files.ruins !== undefined) {
    return held(
      `It would remove ${files.ruins}: a home, a system directory, the workspace, or what contains it`,
    );
  }
  if (allowed?.isWhole === true) return undefined;
  const touch = files.touches.find(
    ({ finding, use }) => use === 'edit' && (finding.isSensitive || finding.leadsOutside),
  );
  if (touch !== undefined) return { told: unsafeTold(touch.finding, mode), holdsAlways: false };
  return line.isBackground
    ? { told: unsafeTold('A part of it goes on in the background, when checks are over'), holdsAlways: false }
    : undefined;
}
