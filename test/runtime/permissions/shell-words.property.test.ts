/** What is read from a line is what a real shell makes of it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCommands } from '../../../src/runtime/permissions/commands/found-commands.js';
import { readShellLine } from '../../../src/runtime/permissions/commands/shell-line.js';
import fc from '../../support/property.js';

/** All lines go through one shell, so they are drawn at once; a failure names its line. */
const HOW_MANY = 3_000;

const character = fc.constantFrom(...' \t\n\'"\\$`(){}[];&|<>#*?~=!,%^@+-.:/', ...'aabbx1é');
const argumentLine = fc.array(character, { maxLength: 14 }).map((each) => `probe ${each.join('')}`);
const part = fc.constantFrom(
  ...[
    'probe',
    ' probe ',
    'probe;',
    'x',
    ' ',
    '\n',
    ';',
    '&&',
    '||',
    '|',
    '(',
    ')',
    '{ ',
    '; }',
    '$(',
    '`',
    '"',
    "'",
    '\\',
  ],
  ...[
    '#',
    '<<E\n',
    '\nE\n',
    'if ',
    ';then ',
    ';fi',
    '!',
    'X=',
    '$X',
    '<(',
    '${X:-',
    '}',
    'f()',
    'eval ',
    'case x in x) ',
    ';;esac',
  ],
);
const commandLine = fc.array(part, { minLength: 1, maxLength: 9 }).map((each) => each.join(''));

/**
 * Runs each line in a shell that finds no programs, in an empty directory, with a function that notes its arguments.
 * Resolves with the arguments of each time that it ran, line by line.
 */
function shellSays(lines: readonly string[]): string[][][] {
  const cwd = mkdtempSync(join(tmpdir(), 'tenon-shell-'));
  const script = `
    exec 9>&1 >/dev/null 2>&1
    probe() { { printf '%s\\1' probe "$@"; printf '\\2'; } >&9; }
    PATH=/nowhere
    while IFS= read -r -d $'\\3' line; do ( eval "$line"; wait ) </dev/null; printf '\\4' >&9; done
  `;
  try {
    const said = execFileSync('/bin/bash', ['--norc', '--noprofile', '-c', script], {
      cwd,
      input: lines.map((line) => `${line}\u0003`).join(''),
      env: { HOME: '/nonexistent', LANG: 'C.UTF-8' },
      maxBuffer: 64e6,
    }).toString();
    const fields = (text: string, end: string): string[] => text.split(end).slice(0, -1);
    return fields(said, '\u0004').map((run) =>
      fields(run, '\u0002').map((note) => fields(note, '\u0001').slice(1)),
    );
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

describe('a line that is understood', () => {
  it('R51: gives a command the words that were read', () => {
    const lines = fc.sample(argumentLine, HOW_MANY);
    const said = shellSays(lines);
    const readable = lines.flatMap((line, index) => {
      const { commands, doubts, isBackground } = readShellLine(line);
      const [command] = commands;
      const isOne =
        doubts.length === 0 && !isBackground && commands.length === 1 && command?.redirects.length === 0;
      const isKnown = command?.words.every(({ value, hasTilde }) => value !== undefined && !hasTilde);
      return isOne && isKnown
        ? [{ line, words: command.words.slice(1).map(({ value }) => value), said: said[index] }]
        : [];
    });
    // What the shell refuses to run is nobody's concern.
    const compared = readable.filter(({ said: runs }) => runs?.length !== 0);
    for (const { line, words, said: runs } of compared) expect([line, runs]).toEqual([line, [words]]);
    expect(compared.length).toBeGreaterThan(HOW_MANY / 10);
  });

  it('R51: runs no command that was not found', () => {
    const lines = fc.sample(commandLine, HOW_MANY);
    const ran = shellSays(lines).flatMap((runs, index) => (runs.length > 0 ? [lines[index] ?? ''] : []));
    for (const line of ran) {
      const { all, isIncomplete } = findCommands(readShellLine(line));
      const isFound = isIncomplete || all.some(({ words }) => words[0]?.value === 'probe');
      expect([line, isFound]).toEqual([line, true]);
    }
    expect(ran.length).toBeGreaterThan(HOW_MANY / 50);
  });
});
