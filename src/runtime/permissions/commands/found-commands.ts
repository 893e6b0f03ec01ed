// Every command that a line may run, however deep: also inside the arguments of others.
import { startOfSubcommand } from './git-commands.js';
import { isRunningVariable } from './running-variables.js';
import { readShellLine, type ShellCommand, type ShellLine, type ShellRedirect } from './shell-line.js';
import type { ShellWord } from './shell-word.js';
import { programOf, unwrap } from './wrappers.js';

export interface FoundCommand {
  readonly words: readonly ShellWord[];
  /** As written; of a nested command, its words. */
  readonly source: string;
  readonly redirects: readonly ShellRedirect[];
  /** It is in the arguments of another command. */
  readonly isNested: boolean;
  /** It is in the argument of a shell: `bash -c "rm a"`. */
  readonly isInShell: boolean;
}

export interface FoundCommands {
  readonly all: readonly FoundCommand[];
  /** Something may run that is not among them. */
  readonly isIncomplete: boolean;
}

const DEEPEST = 8;

/** More commands are not looked for: `find -exec find -exec …` would be as many as there are ways to read it. */
const MOST_COMMANDS = 2000;

export function findCommands(line: ShellLine): FoundCommands {
  const all: FoundCommand[] = [];
  let isIncomplete = line.doubts.some(({ hidesCommands }) => hidesCommands);
  const visit = (
    command: Pick<ShellCommand, 'words' | 'isPiped' | 'redirects'>,
    source: string,
    isInShell: boolean,
    depth: number,
  ): void => {
    const { words } = command;
    if (words.length === 0 && command.redirects.length === 0) return;
    if (all.length >= MOST_COMMANDS) {
      isIncomplete = true;
      return;
    }
    all.push({ words, source, isInShell, redirects: command.redirects, isNested: depth > 0 });
    if (words.length === 0) return;
    const name = words[0]?.value;
    // Names of programs are plain; anything else may be made to look like one.
    if (name === undefined || words[0]?.isDisguised === true || !/^[\x21-\x7e]+$/.test(name))
      isIncomplete = true;
    if (declaresRunningVariable(words)) isIncomplete = true;
    const { inner, hides } = unwrap(command);
    if (hides || depth >= DEEPEST) isIncomplete = true;
    if (depth >= DEEPEST) return;
    for (const each of inner) {
      if (each.words !== undefined && each.words.length > 0) {
        const text = each.words.map((word) => word.source).join(' ');
        visit({ words: each.words, isPiped: command.isPiped, redirects: [] }, text, isInShell, depth + 1);
      }
      if (each.script !== undefined)
        visitLine(readShellLine(each.script), isInShell || each.isShell === true, depth + 1);
    }
  };
  const visitLine = (inside: ShellLine, isInShell: boolean, depth: number): void => {
    if (inside.doubts.some(({ hidesCommands }) => hidesCommands)) isIncomplete = true;
    for (const command of inside.commands) {
      if (command.assignments.some(({ name }) => isRunningVariable(name))) isIncomplete = true;
      visit(command, command.source, isInShell, depth);
    }
  };
  visitLine(line, false, 0);
  return { all, isIncomplete };
}

const DECLARERS: ReadonlySet<string> = new Set(['declare', 'export', 'local', 'readonly', 'typeset']);

function declaresRunningVariable([name, ...rest]: readonly ShellWord[]): boolean {
  return (
    DECLARERS.has(name?.value ?? '') &&
    rest.some(({ source }) => isRunningVariable(/^(\w+)\+?=/.exec(source)?.[1] ?? ''))
  );
}

/** Other ways in which a rule may name the same command: by the program alone, without options before a subcommand. */
export function spellingsOf({
  words,
  source,
}: Pick<FoundCommand, 'words' | 'source'>): readonly (readonly ShellWord[])[] {
  const [name, ...rest] = words;
  const program = programOf(name);
  if (name === undefined || program === undefined || source === '') return [words];
  const plain: ShellWord = {
    ...name,
    value: program.toLowerCase(),
    pieces: [{ text: program.toLowerCase() }],
  };
  const spellings = [words, [plain, ...rest]];
  if (program.toLowerCase() === 'git') {
    const start = startOfSubcommand(rest);
    if (start > 0) spellings.push([plain, ...rest.slice(start)]);
  }
  return spellings;
}
