import type { RuleInForce } from '../../../protocol/permissions/permission-decision.js';
import { matchesWildcard } from '../../../protocol/permissions/permission-rules.js';
import { type FoundCommand, type FoundCommands, spellingsOf } from './found-commands.js';
import { effectOf } from './known-commands.js';
import type { ShellWord } from './shell-word.js';

/** `maybe`: it depends on what only the shell knows. */
export type Match = 'yes' | 'maybe' | 'no';

/**
 * `npm run:*` and `npm run *` are these words and anything after them, other `*` any text; without one, the command
 * as it is written.
 */
function prefixOf(specifier: string): readonly string[] | undefined {
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(specifier)?.[1];
  if (prefix === undefined || prefix.includes('*')) return undefined;
  return prefix.trim().split(/\s+/);
}

/** Whether a restricting rule concerns the command, in any of its spellings. */
function restricts(specifier: string, command: FoundCommand): Match {
  const matches = spellingsOf(command).map((words) => restrictsWords(specifier, words));
  const text = normalText(specifier);
  if (matches.includes('yes') || matchesWildcard(text, normalText(command.source))) return 'yes';
  return matches.includes('maybe') || isHandedOn(specifier, command.words) ? 'maybe' : 'no';
}

/**
 * Whether a command that nobody knows may run what the rule is about: its words are among its own, as in
 * `docker run x rm y`; or are its own with options between them, as in `npm --silent publish`.
 */
function isHandedOn(specifier: string, words: readonly ShellWord[]): boolean {
  const [first, ...others] = prefixOf(specifier) ?? (specifier.includes('*') ? [] : specifier.split(/\s+/));
  if (first === undefined || effectOf(words) !== undefined) return false;
  const values = words.map(({ value }) => value);
  return values.some((value, index) => {
    if (value === undefined || programName(value) !== first) return false;
    const rest = values.slice(index + 1);
    // Of these it is known what they hand on: it was found before.
    if (index > 0 && /^(git|command)$/.test(values[0] ?? '')) return false;
    if (index > 0) return others.every((other, at) => rest[at] === undefined || rest[at] === other);
    return (
      rest[0]?.startsWith('-') === true && others.length > 0 && others.every((other) => rest.includes(other))
    );
  });
}

function programName(value: string): string {
  return value.slice(value.lastIndexOf('/') + 1).toLowerCase();
}

export interface RestrictedCommand {
  readonly rule: RuleInForce;
  readonly command: FoundCommand;
}

/** The first rule that concerns one of the commands; `maybe`: also one that might. What is in plain sight comes first. */
export function restrictingRule(
  kind: 'deny' | 'ask',
  rules: readonly RuleInForce[],
  { all }: FoundCommands,
  least: 'yes' | 'maybe',
): RestrictedCommand | undefined {
  const inOrder = [...all.filter(({ isInShell }) => !isInShell), ...all.filter(({ isInShell }) => isInShell)];
  for (const command of inOrder) {
    const rule = rules.find(({ kind: each, rule: { specifier } }) => {
      if (each !== kind || specifier === undefined) return false;
      const match = restricts(specifier, command);
      return match === 'yes' || match === least;
    });
    if (rule !== undefined) return { rule, command };
  }
  return undefined;
}

function restrictsWords(specifier: string, words: readonly ShellWord[]): Match {
  const prefix = prefixOf(specifier);
  if (prefix !== undefined) {
    for (const [index, expected] of prefix.entries()) {
      const word = words[index];
      if (word === undefined) return 'no';
      // A computed word may be none, or several: the words behind it may be anywhere.
      if (word.value === undefined) return 'maybe';
      if (word.value !== expected) return 'no';
    }
    return 'yes';
  }
  const unknown = words.findIndex(({ value }) => value === undefined);
  if (unknown === -1) return matchesWildcard(normalText(specifier), textOf(words)) ? 'yes' : 'no';
  const known = words.slice(0, unknown).map(({ value }) => value);
  const expected = normalText(specifier).split(' ');
  const differs = known.some((value, index) => {
    const part = expected[index];
    return !expected.slice(0, index + 1).some((each) => each.includes('*')) && part !== value;
  });
  return differs ? 'no' : 'maybe';
}

/**
 * Whether an allowing rule covers the command. All of its words must be known; names of files may be left to the
 * shell where the rule leaves them to anybody.
 */
export function covers(specifier: string, words: readonly ShellWord[], source: string): boolean {
  if (words.some(({ kind, isDisguised }) => kind === 'computed' || isDisguised)) return false;
  const prefix = prefixOf(specifier);
  if (prefix !== undefined) return prefix.every((expected, index) => words[index]?.value === expected);
  if (!specifier.includes('*')) return source === specifier.trim();
  const [name] = words;
  return name?.value !== undefined && matchesWildcard(specifier, textOf(words));
}

function textOf(words: readonly ShellWord[]): string {
  return words.map(({ value, source }) => value ?? source).join(' ');
}

function normalText(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
