// What a command line is, as far as the way it is shown depends on it. Nothing is permitted because of what is found
// here: that is decided by parsing the line as a shell does.

/** The commands of a line, without what joins them; words in quotes are not looked into. */
function partsOf(line: string): string[] {
  const parts = line.match(/(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^;&|\n"'\\])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** Commands that print nothing when all is well. */
const SILENT: ReadonlySet<string> = new Set(
  'cd chgrp chmod chown cp export ln mkdir mv rm rmdir touch unset wait'.split(' '),
);

export function isSilent(line: string): boolean {
  const parts = partsOf(line);
  return parts.length > 0 && parts.every((part) => SILENT.has(firstWord(part)));
}

const NO_MATCH = 'No matches found';

/** Exit codes that are answers and no failures. */
const ANSWERS: Readonly<Record<string, string>> = {
  grep: NO_MATCH,
  egrep: NO_MATCH,
  fgrep: NO_MATCH,
  rg: NO_MATCH,
  'git grep': NO_MATCH,
  diff: 'Files differ',
  'git diff': 'Files differ',
  find: 'Some directories were inaccessible',
  test: 'Condition is false',
  '[': 'Condition is false',
};

/** What the exit code means if it is no failure: the last command of the line has given it. */
export function meaningOf(line: string, code: number): string | undefined {
  if (code !== 1) return undefined;
  const last = partsOf(line).at(-1) ?? '';
  const word = firstWord(last);
  const name = word === 'git' ? `git ${last.split(/\s+/)[1]}` : word;
  return Object.hasOwn(ANSWERS, name) ? ANSWERS[name] : undefined;
}

/** For how many seconds the line waits before it does anything; undefined: it does not begin with `sleep`. */
export function leadingSleep(line: string): { seconds: number | undefined; isAlone: boolean } | undefined {
  const [first = '', ...more] = partsOf(line);
  if (firstWord(first) !== 'sleep') return undefined;
  const [, seconds] = /^sleep\s+(\d+(?:\.\d+)?)$/.exec(first) ?? [];
  return { seconds: seconds === undefined ? undefined : Number(seconds), isAlone: more.length === 0 };
}

function firstWord(command: string): string {
  return /^\S*/.exec(command)?.[0] ?? '';
}
