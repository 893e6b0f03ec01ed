// Commands whose effect is known: those that only read, and those that change files which they name.
import { EDITORS, READERS, type ReaderRow } from './command-table.js';
import { gitReads } from './git-commands.js';
import { plainWord, type ShellWord } from './shell-word.js';

/** What a known command does. */
export interface Effect {
  /** `read`: it runs without a rule. `edit`: it changes the files that it names. */
  readonly kind: 'read' | 'edit';
  /** The files it names; each may also be something else, and is then harmless. */
  readonly files: readonly ShellWord[];
  /** It looks at files, even if it names none. */
  readonly usesFiles: boolean;
  /** It reads what is below the directories that it names, or below where it runs. */
  readonly isRecursive: boolean;
  /** An edit that `acceptEdits` accepts. */
  readonly isAcceptable: boolean;
}

/** Undefined: what it does is not known. */
export function effectOf(words: readonly ShellWord[]): Effect | undefined {
  const name = words[0]?.value;
  if (name === undefined || words[0]?.isDisguised === true) return undefined;
  const rest = words.slice(1);
  if (name === 'git') return gitReads(rest);
  if (name === 'find') return findReads(rest);
  if (name === 'sed') return sedEffect(rest);
  if (Object.hasOwn(EDITORS, name)) return editEffect(name, EDITORS[name] as RegExp, rest);
  return Object.hasOwn(READERS, name) ? readEffect(name, READERS[name] as ReaderRow, rest) : undefined;
}

function readEffect(name: string, row: ReaderRow, rest: readonly ShellWord[]): Effect | undefined {
  const { operands, options, valued, texts, recursive, takesGlobs } = row;
  if (rest.some((word) => !isPlain(word, name === 'echo' || name === 'printf', takesGlobs === true)))
    return undefined;
  const left = split(rest, valued);
  if (options !== undefined && left.options.some((value) => !options.test(value))) return undefined;
  if (operands === 'none' && left.operands.length > 0) return undefined;
  if (texts !== undefined && left.operands.some(({ value }) => !texts.test(value ?? ''))) return undefined;
  const values = left.operands.map(({ value }) => value ?? '');
  // Without a pattern, what it is given is where to look; and a file can hold more arguments.
  if (name === 'rg' && left.options.includes('--files')) return undefined;
  if (name === 'strings' && values.some((value) => value.startsWith('@'))) return undefined;
  // A filter can read the environment and other files.
  if (name === 'jq' && values.some((value) => /env|input|import|include|getpath|\$__/i.test(value)))
    return undefined;
  if (name === 'cd' && (values.length !== 1 || values[0] === '-')) return undefined;
  return {
    kind: 'read',
    files: filesOf(operands, left.operands),
    usesFiles: name !== 'cd' && (operands === 'files' || operands === 'pattern'),
    isRecursive: recursive?.source === '^' || left.options.some((value) => recursive?.test(value)),
    isAcceptable: false,
  };
}

/** Names of files that the shell puts in are files, even if the command only shows them. */
function filesOf(operands: ReaderRow['operands'], words: readonly ShellWord[]): readonly ShellWord[] {
  if (operands === 'files') return words;
  return operands === 'pattern' ? words.slice(1) : words.filter(({ kind }) => kind === 'glob');
}

/** Known to the last character; `echo` may also be given variables, because it only shows them. */
function isPlain(word: ShellWord, isShown: boolean, takesGlobs: boolean): boolean {
  if (word.isDisguised) return false;
  if (word.kind === 'literal') return true;
  if (word.kind === 'glob') return takesGlobs;
  const hasPattern = word.pieces.some((piece) => 'any' in piece && piece.any === 'name');
  return isShown && !hasPattern && word.variables?.every((name) => SHOWN_VARIABLES.has(name)) === true;
}

const SHOWN_VARIABLES: ReadonlySet<string> = new Set([
  '?',
  '#',
  '$',
  'HOME',
  'LANG',
  'OLDPWD',
  'PWD',
  'SHELL',
  'USER',
]);

interface Split {
  readonly options: string[];
  readonly operands: ShellWord[];
}

function split(rest: readonly ShellWord[], valued?: RegExp): Split {
  const found: Split = { options: [], operands: [] };
  let isOver = false;
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] as ShellWord;
    const value = word.value ?? word.source;
    if (!isOver && value === '--') isOver = true;
    else if (!isOver && value.startsWith('-') && value !== '-') {
      found.options.push(value);
      if (valued?.test(value)) index += 1;
    } else found.operands.push(word);
  }
  return found;
}

function editEffect(name: string, options: RegExp, rest: readonly ShellWord[]): Effect | undefined {
  const left = split(rest, name === 'mkdir' ? /^-m$/ : undefined);
  const isKnown =
    left.options.every((value) => options.test(value)) && !rest.some(({ isDisguised }) => isDisguised);
  const isWhole = left.operands.every(({ kind }) => kind === 'literal');
  // What an unknown option is given may be a file: `--target-directory=x`, `-tx`.
  const values = left.options
    .filter((value) => !options.test(value))
    .flatMap((value) => /^(?:--[^=]*=|-\w)(.+)$/s.exec(value)?.[1] ?? []);
  return {
    kind: 'edit',
    files: [...left.operands, ...values.map(plainWord), ...placedIn(name, left.operands)],
    usesFiles: true,
    isRecursive: false,
    isAcceptable: isKnown && isWhole && left.operands.length > 0 && name !== 'tee',
  };
}

/** What is copied into a directory is written under its own name, and through a link of that name. */
function placedIn(name: string, operands: readonly ShellWord[]): ShellWord[] {
  const target = operands.at(-1)?.value;
  if ((name !== 'cp' && name !== 'mv') || target === undefined) return [];
  return operands.slice(0, -1).flatMap(({ value }) => {
    const own = value?.replace(/\/+$/, '').split('/').at(-1);
    return own === undefined || own === '' || own === '.' || own === '..'
      ? []
      : [{ ...(operands.at(-1) as ShellWord), ...placed(`${target}/${own}`) }];
  });
}

function placed(value: string): Pick<ShellWord, 'source' | 'value' | 'pieces'> {
  return { source: value, value, pieces: [{ text: value }] };
}

/** The tests and the output of `find` that neither run nor write anything. */
const FIND =
  /^(-(a|and|o|or|not|true|false|prune|print|print0|ls|depth|d|mount|xdev|empty|daystart|noleaf|quit|P|readable|writable|executable|nouser|nogroup)|!|\(|\)|,)$/;
const FIND_VALUED =
  /^-(name|iname|path|ipath|wholename|iwholename|regex|iregex|regextype|type|xtype|size|mtime|ctime|atime|mmin|cmin|amin|maxdepth|mindepth|user|group|uid|gid|perm|links|inum|lname|ilname|used|printf|fstype)$/;

function findReads(rest: readonly ShellWord[]): Effect | undefined {
  if (rest.some((word) => !isPlain(word, false, false))) return undefined;
  const first = rest.findIndex(({ value }) => /^[-!(]/.test(value ?? '') && !/^-P$/.test(value ?? ''));
  const files = (first === -1 ? rest : rest.slice(0, first)).filter(({ value }) => !/^-P$/.test(value ?? ''));
  const tests = first === -1 ? [] : rest.slice(first);
  for (let index = 0; index < tests.length; index += 1) {
    const value = tests[index]?.value ?? '';
    if (FIND_VALUED.test(value)) index += 1;
    else if (!FIND.test(value)) return undefined;
  }
  return { kind: 'read', files, usesFiles: true, isRecursive: false, isAcceptable: false };
}

const SED_PRINT = /^(\d+|\$)(,(\d+|\$))?p$/;
/** One substitution between slashes, as in the CLI, without the flags that run or write something. */
const SED_REPLACE = /^(\d+(,\d+)?)?s\/(?:[^\n\\/]|\\[^\n])*\/(?:[^\n\\/]|\\[^\n])*\/[gIip\d]*$/;

/** Whether a script of `sed` may run something: by the command or the flag `e`, or from a file. */
export function sedRuns(rest: readonly ShellWord[]): boolean {
  const values = rest.map(({ value }) => value);
  if (values.some((value) => value === undefined || /^(-[a-zA-Z]*f|--file)/.test(value))) return true;
  const given = values.flatMap((value = '', index) => {
    const [, attached] = /^(?:-[a-zA-Z]*e|--expression=?)(.*)$/s.exec(value) ?? [];
    return attached === undefined ? [] : [attached === '' ? (values[index + 1] ?? '') : attached];
  });
  const scripts = given.length > 0 ? given : [split(rest).operands[0]?.value ?? ''];
  return scripts.some((script) => script.includes('e') && !SED_REPLACE.test(script));
}

function sedEffect(rest: readonly ShellWord[]): Effect | undefined {
  const { options, operands } = split(rest);
  const [script, ...files] = operands;
  const isKnown =
    rest.every((word) => word.kind === 'literal' && !word.isDisguised) && script?.value !== undefined;
  if (
    isKnown &&
    options.every((value) => /^-[nEr]+$/.test(value)) &&
    options.some((value) => value.includes('n'))
  ) {
    const prints = (script.value ?? '').split(';').every((part) => SED_PRINT.test(part.trim()));
    if (prints) return { kind: 'read', files, usesFiles: true, isRecursive: false, isAcceptable: false };
  }
  const isSafe =
    isKnown && SED_REPLACE.test(script.value ?? '') && options.every((value) => /^-[iEr]$/.test(value));
  return {
    kind: 'edit',
    files: options.some((value) => /^-([a-z]*[ef]|-expression|-file)/.test(value)) ? operands : files,
    usesFiles: true,
    isRecursive: false,
    isAcceptable: isSafe && options.includes('-i') && files.length > 0,
  };
}
