// What has to be known of commands that nobody knows, to say which files they may reach.
import type { ShellWord } from './shell-word.js';
import { programOf } from './wrappers.js';

/** Programs that read whole directories, or files that somebody else names. */
const TREES =
  /^(7z|ack|ag|bsdtar|cpio|fd|fdfind|find|gtar|parallel|pax|rsync|scp|tar|ugrep|xargs|zip|find|rclone)$/;
const TREES_OF_GIT = /^(archive|bundle|fast-export|format-patch|grep|stash|whatchanged|worktree)$/;

/** Whether a command that is not known to be harmless reads all that is below the directories it names. */
export function readsTrees(words: readonly ShellWord[]): boolean {
  const program = programOf(words[0]) ?? '';
  const values = words.slice(1).map(({ value }) => value ?? '');
  if (program === 'git') return values.some((value) => TREES_OF_GIT.test(value));
  const isRecursive = values.some((value) => /^(-[a-zA-Z]*[rRa]|--(recursive|archive))/.test(value));
  return TREES.test(program) || (isRecursive && /^(cp|diff|grep|egrep|fgrep|zgrep)$/.test(program));
}

/** Programs that make links, or bring some: what a path leads to afterwards is not what it leads to now. */
const LINKERS = /^(bsdtar|cpio|git|gtar|install|ln|patch|rclone|rsync|tar|unzip|7z)$/;

export function makesLinks(words: readonly ShellWord[]): boolean {
  return LINKERS.test(programOf(words[0]) ?? '');
}

/** Directories in which the command works instead, as in `make -C x`; undefined: only the shell knows. */
export function chosenDirectories(words: readonly ShellWord[]): readonly (string | undefined)[] {
  return words.flatMap(({ value, source }, index) => {
    const text = value ?? source;
    if (/^(-C|-D|--(chdir|directory|cwd|prefix|work-tree|git-dir))$/.test(text)) {
      return index + 1 < words.length ? [words[index + 1]?.value] : [];
    }
    const [, attached] = /^(?:-C|--(?:chdir|directory|cwd|prefix|work-tree|git-dir)=)(.+)$/s.exec(text) ?? [];
    return attached === undefined ? [] : [value === undefined ? undefined : attached];
  });
}

/** A word itself, and what may be a name in it: `--file=x`, `if=x`, `-fx`, `@x`, `HEAD:x`, `x;type=y`. */
export function mentionsIn({ value }: ShellWord): string[] {
  if (value === undefined) return [];
  const parts = [...value.matchAll(/[=@:,;]/g)].slice(0, 6).map(({ index }) => value.slice(index + 1));
  const attached = /^-\w(.+)$/s.exec(value)?.[1];
  const starts = [value, ...parts, ...(attached === undefined ? [] : [attached])];
  // What follows a name, as in `@x;type=y`.
  const ends = starts.flatMap((part) => /^([^;,]+)[;,]/.exec(part)?.[1] ?? []);
  return [...new Set([...starts, ...ends])].filter((part) => part !== '');
}

/** Of a word with patterns in its last name only: the directory in which they are looked for. */
export function directoryOf({ kind, pieces }: ShellWord): string | undefined {
  if (kind !== 'glob') return undefined;
  const open = pieces.findIndex((piece) => 'any' in piece);
  const text = (from: number, to?: number): string =>
    pieces
      .slice(from, to)
      .map((piece) => ('text' in piece ? piece.text : ''))
      .join('');
  if (text(open).includes('/')) return undefined;
  const before = text(0, open);
  return before.includes('/') ? before.slice(0, before.lastIndexOf('/') + 1) : '.';
}

/** Where a path leads depends on the process that follows it. */
export function isVirtual(path: string): boolean {
  return /^\/+(\.\/+)*(proc|dev\/+fd)(\/|$)/.test(path);
}

export function isNoFile(value: string | undefined): boolean {
  return (
    value === '/dev/null' || value === '/dev/stdout' || value === '/dev/stderr' || value === '/dev/stdin'
  );
}
