import type { RuleInForce } from '../../../protocol/permissions/permission-decision.js';
import type { PermissionMode } from '../../../protocol/permissions/permissions.js';
import type { ReadCase } from './command-case.js';
import type { FileTouch } from './command-files.js';
import { covers } from './command-rules.js';
import { effectOf } from './known-commands.js';
import type { ShellCommand } from './shell-line.js';
import { FREE_WRAPPERS, withoutThinWrappers } from './thin-wrappers.js';

/** Each command and what lets it run, if anything does. */
export interface Coverage {
  readonly command: ShellCommand;
  readonly isCovered: boolean;
  readonly rule: RuleInForce | undefined;
  /** The files that stand in the way. */
  readonly blocking: readonly FileTouch[];
}

export function coverage({ mode, rules, line, files }: ReadCase): Coverage[] {
  return line.commands.map((command) => {
    const touched = files.touches.filter((touch) => touch.command === command);
    const rule = rules.find(
      ({ kind, rule: { specifier } }) =>
        kind === 'allow' && specifier !== undefined && isAllowedBy(specifier, command),
    );
    const effect = effectOf(withoutThinWrappers(command.words, FREE_WRAPPERS));
    const isAccepted = effect?.kind === 'edit' && effect.isAcceptable && mode === 'acceptEdits';
    const isFree = command.words.length === 0 || effect?.kind === 'read' || isAccepted;
    const hasSafeVariables = command.assignments.every(
      ({ name }) => command.words.length > 0 && HARMLESS_VARIABLES.test(name),
    );
    const blocking = touched.filter((touch) => !isOpen(touch, mode, rule !== undefined));
    const isCovered = blocking.length === 0 && (rule !== undefined || (isFree && hasSafeVariables));
    return { command, rule, blocking, isCovered };
  });
}

/** `LANG=C ls` is as good as `ls`. Alone, an assignment is asked about, as in the CLI: some names mean something to the shell. */
const HARMLESS_VARIABLES =
  /^(LANG|LC_[A-Z]+|TZ|CI|NODE_ENV|NO_COLOR|FORCE_COLOR|TERM|COLUMNS|LINES|RUST_BACKTRACE|GOOS|GOARCH|PYTHONUNBUFFERED)$/;

/** Whether a rule covers a command, alone or behind one that only runs it. */
export function isAllowedBy(specifier: string, command: ShellCommand): boolean {
  const { words, assignments, source } = command;
  // A rule with all that is written allows just that.
  if (source === specifier) return covers(specifier, words, source);
  if (assignments.some(({ name }) => !HARMLESS_VARIABLES.test(name))) return false;
  // What `find` runs or removes is not what a rule for `find` is about.
  const inner = withoutThinWrappers(words);
  if (inner[0]?.value === 'find' && effectOf(inner) === undefined) return false;
  const text = inner.map((word) => word.source).join(' ');
  return covers(specifier, words, source) || (inner.length < words.length && covers(specifier, inner, text));
}

function isOpen({ finding, use, isRedirect }: FileTouch, mode: PermissionMode, isRuled: boolean): boolean {
  if (finding.denied !== undefined || finding.asked !== undefined) return false;
  if (use === 'read') return finding.isInside || finding.allowed !== undefined;
  if (finding.isSensitive || finding.leadsOutside) return false;
  if (finding.allowed !== undefined) return true;
  // A rule for a command allows its own changes inside; what the shell writes needs a permission of its own.
  return finding.isInside && (mode === 'acceptEdits' || (isRuled && !isRedirect));
}
