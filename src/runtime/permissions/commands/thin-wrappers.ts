import type { ShellWord } from './shell-word.js';

/** Commands that run another without changing what it does. */
const THIN_WRAPPERS: ReadonlySet<string> = new Set([
  'builtin',
  'command',
  'nice',
  'nohup',
  'stdbuf',
  'time',
  'timeout',
]);

/** Those behind which a command that only reads needs no rule. */
export const FREE_WRAPPERS: ReadonlySet<string> = new Set(['builtin', 'command', 'timeout']);

/** The words behind `timeout 5` and the like; all of them if there is none, or options make it unclear. */
export function withoutThinWrappers(
  words: readonly ShellWord[],
  wrappers: ReadonlySet<string> = THIN_WRAPPERS,
): readonly ShellWord[] {
  let index = 0;
  while (wrappers.has(words[index]?.value ?? '')) {
    index += words[index]?.value === 'timeout' ? 2 : 1;
    const next = words[index]?.value;
    if (next === undefined || next.startsWith('-')) return words;
  }
  return words.slice(index);
}
