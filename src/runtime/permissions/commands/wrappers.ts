// Commands that run other commands: what is inside is what rules are about.
import type { ShellCommand } from './shell-line.js';
import type { ShellWord } from './shell-word.js';

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

/** Options that take the next word as their value; all others begin with a dash and stand alone. */
interface WrapperRow {
  readonly valued?: RegExp;
  /** Words before the command, as the duration of `timeout`. */
  readonly skips?: number;
  /** Options with which nothing is run. */
  readonly idle?: RegExp;
  /** The command may have assignments before it, as with `env`. */
  readonly assigns?: true;
  /** Options whose value is a shell line. */
  readonly script?: RegExp;
}

const WRAPPERS: Readonly<Record<string, WrapperRow>> = {
  builtin: {},
  bunx: {},
  busybox: {},
  caffeinate: { valued: /^-[tw]$/ },
  chroot: { skips: 1 },
  chrt: { skips: 1 },
  command: { idle: /^-[pvV]*[vV]/ },
  doas: { valued: /^-[uC]$/ },
  env: { valued: /^(-[uC]|--unset|--chdir)$/, assigns: true, script: /^(-S|--split-string)$/ },
  exec: { valued: /^-[cl]*a$/ },
  firejail: {},
  flock: { valued: /^-[wE]$/, skips: 1, script: /^(-c|--command)$/ },
  fakeroot: {},
  ionice: { valued: /^-[cnpPu]$/ },
  ltrace: { valued: /^-[eopus]$/ },
  nice: { valued: /^-n$/ },
  noglob: {},
  nohup: {},
  npx: { valued: /^(-p|--package)$/, script: /^(-c|--call)$/ },
  numactl: {},
  nsenter: { valued: /^-[tSG]$/ },
  parallel: { valued: /^-[jINnLdE]$/ },
  pkexec: { valued: /^--user$/ },
  rlwrap: {},
  runuser: { valued: /^-[ugGs]$/, script: /^(-c|--command)$/ },
  script: { valued: /^-[EIOTBm]$/, script: /^(-c|--command)$/ },
  setarch: {},
  setsid: {},
  stdbuf: { valued: /^-[ioe]$/ },
  strace: { valued: /^-[eopusEPI]$/ },
  su: { valued: /^-[gGsw]$/, script: /^(-c|--command)$/ },
  sudo: { valued: /^-[ugpCcDhRrtTU]$/, assigns: true },
  taskset: { skips: 1 },
  time: { valued: /^-[fo]$/ },
  timeout: { valued: /^(-[ks]|--kill-after|--signal)$/, skips: 1 },
  toybox: {},
  unbuffer: {},
  unshare: { valued: /^-[SGR]$/ },
  watch: { valued: /^-n$|^--interval$/ },
  xargs: { valued: /^-([adEIiLlnPs])$|^--(arg-file|delimiter|max-args|max-procs|replace)$/ },
  'xvfb-run': {},
};

const SHELLS: ReadonlySet<string> = new Set([
  'ash',
  'bash',
  'dash',
  'fish',
  'ksh',
  'mksh',
  'rbash',
  'sh',
  'zsh',
]);

/** Builtins that run text, or a file, in the shell itself, or change what names mean. */
const EVALUATORS: ReadonlySet<string> = new Set([
  '.',
  'alias',
  'bind',
  'complete',
  'enable',
  'eval',
  'fc',
  'hash',
  'mapfile',
  'readarray',
  'shopt',
  'source',
  'trap',
]);

/** Builtins that evaluate the index in the name of a variable. */
const NAMING: ReadonlySet<string> = new Set([
  '[',
  'declare',
  'export',
  'getopts',
  'let',
  'local',
  'printf',
  'read',
  'readonly',
  'test',
  'typeset',
  'unset',
  'wait',
]);

/** Programs that run text in another language, or elsewhere, by these options. */
const INTERPRETERS: readonly (readonly [name: RegExp, option: RegExp])[] = [
  [/^(python|pypy)[\d.]*$/, /^-[a-zA-Z]*c/],
  [/^(node|nodejs|bun|deno|tsx)$/, /^(-[a-z]*[ep]|--eval|--print|eval|repl)/],
  [/^(perl|ruby|lua|luajit|Rscript|osascript|groovy|scala)[\d.]*$/, /^-[a-zA-Z]*[eE]/],
  [/^php[\d.]*$/, /^-[rBRE]/],
  [/^([gmn]?awk|original-awk)$/, /./],
  [
    /^(vi|vim|nvim|view|ex|ed|emacs|nano|less|more|man|gdb|lldb|expect|tclsh|irb|ssh|docker|podman|kubectl|systemd-run|at|batch|crontab)$/,
    /./,
  ],
];

/** Variables that make programs run something, or find other programs. */
const RUNNING_VARIABLES =
  /^(PATH|IFS|ENV|BASH_ENV|PROMPT_COMMAND|PS\d|SHELLOPTS|BASHOPTS|BASH_FUNC.*|LD_.*|DYLD_.*|GCONV_PATH|NODE_OPTIONS|NODE_PATH|PYTHON(STARTUP|PATH|HOME|BREAKPOINT|INSPECT|WARNINGS)|PERL5?(OPT|LIB|DB)|RUBY(OPT|LIB)|JAVA_TOOL_OPTIONS|GIT_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|SHELL|LESSOPEN|LESSCLOSE|CDPATH|HOME|XDG_.*|RIPGREP_CONFIG_PATH|RUSTC_WRAPPER|MAKEFLAGS|CC|CXX)$/;

/** Whether an assignment before a command, or alone, can make something else run. */
export function isRunningVariable(name: string): boolean {
  return RUNNING_VARIABLES.test(name);
}

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
  if (
    program === 'git' &&
    rest.some(({ value }) => value === undefined || /^(-c|--config-env|--exec-path)/.test(value))
  ) {
    return rest.some(({ value }) => value !== undefined && /^(-c|--config-env|--exec-path)/.test(value))
      ? SOMETHING_HIDDEN
      : NOTHING;
  }
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
  for (const [index, { value }] of rest.entries()) {
    if (value === undefined) return SOMETHING_HIDDEN;
    if (/^-[a-zA-Z]*c/.test(value)) {
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
  for (const [index, { value }] of rest.entries()) {
    if (value === undefined || !/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(value))
      continue;
    const end = rest.findIndex((word, at) => at > index && (word.value === ';' || word.value === '+'));
    inner.push({ words: rest.slice(index + 1, end === -1 ? undefined : end) });
  }
  return { inner, hides: false };
}

function wrapped(row: WrapperRow, rest: readonly ShellWord[]): Unwrapped {
  const inner: Inner[] = [];
  let skips = row.skips ?? 0;
  for (let index = 0; index < rest.length; index += 1) {
    const { value } = rest[index] as ShellWord;
    if (value === undefined) return { inner, hides: true };
    if (value === '--') continue;
    if (value.startsWith('-') && value !== '-') {
      if (row.idle?.test(value)) return NOTHING;
      const attached = /^(-S|--split-string=|--command=|--call=)(.+)$/s.exec(value)?.[2];
      if (attached !== undefined && row.script !== undefined)
        return { inner: [{ script: attached }], hides: true };
      if (row.script?.test(value)) {
        const script = rest[index + 1]?.value;
        return script === undefined ? SOMETHING_HIDDEN : { inner: [{ script }], hides: true };
      }
      if (row.valued?.test(value)) index += 1;
    } else if (row.assigns && /^\w+=/.test(value)) {
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
