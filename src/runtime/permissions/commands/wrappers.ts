// Commands that run other commands: what is inside is what rules are about.

import { gitRuns } from './git-commands.js';
import { sedRuns } from './known-commands.js';
import { isRunningVariable } from './running-variables.js';
import type { ShellCommand } from './shell-line.js';
import type { ShellWord } from './shell-word.js';
import { EVALUATORS, INTERPRETERS, NAMING, SHELLS, WRAPPERS, type WrapperRow } from './wrapper-table.js';

/** What a command runs besides itself. */
export interface Inner {
  /** Words that are run as a command. */
  readonly words?: readonly ShellWord[] | undefined;
  /** Text that is run as a shell line. */
  readonly script?: string | undefined;
  /** The text is the argument of a shell, as in `bash -c`. */
  readonly isShell?: boolean | undefined;
}

export interface Unwrapped {
  readonly inner: readonly Inner[];
  /** It runs something that is not in the line, or that could not be found in it. */
  readonly hides: boolean;
}

const NOTHING: Unwrapped = { inner: [], hides: false };
const SOMETHING_HIDDEN: Unwrapped = { inner: [], hides: true };

/** The name of a program, whatever directory it is in. */
export function programOf(word: ShellWord | undefined): string | undefined {
  return word?.value?.slice(word.value.lastIndexOf('/') + 1);
}

/** What a command runs inside itself. */
export function unwrap({
  words,
  isPiped,
  redirects,
}: Pick<ShellCommand, 'words' | 'isPiped' | 'redirects'>): Unwrapped {
  const program = programOf(words[0]);
  if (words[0] === undefined) return NOTHING;
  if (program === undefined) return SOMETHING_HIDDEN;
  const rest = words.slice(1);
  if (EVALUATORS.has(program)) return evaluated(program, rest);
  if (NAMING.has(program))
    return rest.some(hasNestedCode) || isNaming(program, rest) ? SOMETHING_HIDDEN : NOTHING;
  if (SHELLS.has(program)) return shellArgument(rest, isPiped || redirects.length > 0);
  if (program === 'find' || program === 'fd' || program === 'fdfind') return foundCommands(rest);
  const row = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  if (row !== undefined) return wrapped(row, rest);
  if (program === 'git') return gitRuns(rest) ? SOMETHING_HIDDEN : NOTHING;
  if (program === 'sed') return sedRuns(rest) ? SOMETHING_HIDDEN : NOTHING;
  const isInline = INTERPRETERS.some(
    ([name, option]) =>
      name.test(program) && rest.some(({ value }) => value === undefined || option.test(value)),
  );
  return isInline ? SOMETHING_HIDDEN : NOTHING;
}

function hasNestedCode({ value }: ShellWord): boolean {
  return value !== undefined && /\[.*(\$|`)/s.test(value);
}

function isNaming(program: string, rest: readonly ShellWord[]): boolean {
  const options = program === 'test' || program === '[' ? /^-[vR]$/ : /^-[a-z]*[niv]/;
  return (
    program === 'let' ||
    rest.some(({ value }) => value !== undefined && options.test(value) && program !== 'export')
  );
}

/** `eval a b` runs `a b`; what other evaluators run is not in the line, or runs later. */
function evaluated(program: string, rest: readonly ShellWord[]): Unwrapped {
  if (program !== 'eval' && program !== 'trap') return SOMETHING_HIDDEN;
  const values = (program === 'trap' ? rest.slice(0, 1) : rest).map(({ value }) => value);
  if (values.some((value) => value === undefined)) return SOMETHING_HIDDEN;
  return { inner: [{ script: values.join(' ') }], hides: true };
}

function shellArgument(rest: readonly ShellWord[], hasInput: boolean): Unwrapped {
  for (let index = 0; index < rest.length; index += 1) {
    const { value } = rest[index] as ShellWord;
    if (value === undefined) return SOMETHING_HIDDEN;
    // The name of an option of the shell follows.
    if (/^[-+][a-zA-Z]*[oO]$/.test(value)) {
      index += 1;
      continue;
    }
    if (/^(-[a-zA-Z]*c|--?[cC]ommand)/.test(value)) {
      const script = rest.slice(index + 1).find((word) => word.value?.startsWith('-') !== true)?.value;
      return script === undefined ? SOMETHING_HIDDEN : { inner: [{ script, isShell: true }], hides: false };
    }
    if (/^(-[a-zA-Z]*s|--rcfile|--init-file)/.test(value)) return SOMETHING_HIDDEN;
    // A file with a script is a program like any other.
    if (!/^[-+]/.test(value)) return NOTHING;
  }
  // Without an argument it reads its input.
  return rest.some(({ value }) => value === '--version') && !hasInput ? NOTHING : SOMETHING_HIDDEN;
}

function foundCommands(rest: readonly ShellWord[]): Unwrapped {
  const inner: Inner[] = [];
  let start: number | undefined;
  for (const [index, { value = '' }] of rest.entries()) {
    if (start === undefined) {
      if (/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(value)) start = index + 1;
    } else if (value === ';' || (value === '+' && rest[index - 1]?.value === '{}')) {
      inner.push({ words: rest.slice(start, index) });
      start = undefined;
    }
  }
  if (start !== undefined) inner.push({ words: rest.slice(start) });
  // Attached to its option, the command is not a word of its own.
  const hides = rest.some(({ value }) => /^(--exec(-batch)?=|-[xX].)/.test(value ?? ''));
  return { inner, hides };
}

function wrapped(row: WrapperRow, rest: readonly ShellWord[]): Unwrapped {
  const inner: Inner[] = [];
  const at = rest.findIndex(({ value }) => value !== undefined && row.script?.test(value));
  if (at !== -1) {
    const script = rest[at + 1]?.value;
    return script === undefined ? SOMETHING_HIDDEN : { inner: [{ script }], hides: true };
  }
  let skips = row.skips ?? 0;
  for (let index = 0; index < rest.length; index += 1) {
    const { value } = rest[index] as ShellWord;
    if (value === undefined) return { inner, hides: true };
    if (value === '--') continue;
    if (value.startsWith('-')) {
      if (row.idle?.test(value)) return NOTHING;
      const attached = /^(-[a-zA-Z]*S|--split-string=|--command=|--call=)(.+)$/s.exec(value)?.[2];
      if (attached !== undefined && row.script !== undefined)
        return { inner: [{ script: attached }], hides: true };
      if (row.valued?.test(value)) index += 1;
    } else if (row.assigns && /^[^=]+=/.test(value)) {
      if (isRunningVariable(value.slice(0, value.indexOf('=')))) inner.push({ script: 'eval "$x"' });
    } else if (skips > 0) {
      skips -= 1;
    } else {
      // A command in one word, as `watch "rm a"` takes it.
      const script = /\s/.test(value) ? [{ script: value }] : [];
      return { inner: [...inner, { words: rest.slice(index) }, ...script], hides: false };
    }
  }
  return { inner, hides: false };
}
