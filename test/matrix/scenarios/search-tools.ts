/** Glob and Grep: what they find, in which order, how they page, and what they refuse. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { text, toolUse } from '../../../src/testing/index.js';
import { results } from '../support/calc.js';
import { writeFiles } from '../support/files.js';
import type { JsonObject, Outcome, Scenario } from '../support/scenario.js';

const TREE = {
  'a.ts': 'const alpha = 1;\nfunction beta() {\n  return alpha;\n}\n',
  'src/b.js': 'gamma\nALPHA alpha\n',
  'src/deep/c.tsx': 'alpha\r\ndelta\r\n',
  '.hidden/d.ts': 'alpha\n',
  '.gitignore': 'ignored/\n*.log\n',
  'ignored/e.ts': 'alpha\n',
  'f.log': 'alpha\n',
  '.ignore': 'g.ts\n',
  'g.ts': 'alpha\n',
  'zero.ts': 'alpha\0alpha\n',
  'long.txt': `needle ${'x'.repeat(500)}\nneedle\n`,
  '.git/config.ts': 'alpha\n',
};

const LOTS = Object.fromEntries(
  Array.from({ length: 300 }, (_, index) => [`lots/f${index}.txt`, 'needle\nneedle\n']),
);

const searching = { tools: ['Glob', 'Grep'], allowedTools: ['Glob', 'Grep'] };

/** One call after the other, then a word. */
function calls(name: 'Glob' | 'Grep', inputs: readonly object[]): Scenario['script'] {
  return [...inputs.map((input) => toolUse(name, input as Record<string, unknown>)), text('Done.')];
}

/** What the host is told of each call. */
function details(outcome: Outcome): JsonObject[] {
  return outcome.messages.flatMap((message) =>
    message.type === 'user' && message.tool_use_result !== undefined
      ? [message.tool_use_result as JsonObject]
      : [],
  );
}

export const searchTools: readonly Scenario[] = [
  {
    name: 'Glob finds files by their names, oldest first',
    cites: 's15-glob-grep, R49',
    script: calls('Glob', [
      { pattern: '*.ts' },
      { pattern: '**/*.{js,tsx}' },
      { pattern: 'src/*' },
      { pattern: 'deep/*' },
      { pattern: '!*.ts' },
      { pattern: '?.ts', path: '.hidden' },
      { pattern: '*', path: 'linked' },
      { pattern: 'linked/*' },
      { pattern: '*.none' },
      { pattern: '*', path: 'nowhere' },
      { pattern: '*', path: 'a.ts' },
      { pattern: '[' },
      { pattern: '**/*.txt' },
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, { ...TREE, ...LOTS });
      symlinkSync('src', join(box.cwd, 'linked'));
      return searching;
    },
    check: (outcome) => {
      const found = details(outcome);
      expect(found.map(({ filenames }) => filenames)).toEqual([
        ['a.ts', '.hidden/d.ts', 'ignored/e.ts', 'g.ts', 'zero.ts', '.git/config.ts'],
        ['src/b.js', 'src/deep/c.tsx'],
        ['src/b.js'],
        [],
        expect.arrayContaining(['src/b.js', '.gitignore', 'f.log']),
        ['.hidden/d.ts'],
        ['linked/b.js', 'linked/deep/c.tsx'],
        [],
        [],
        undefined,
        undefined,
        undefined,
        ['long.txt', ...Array.from({ length: 99 }, (_, index) => `lots/f${index}.txt`)],
      ]);
      expect(found.at(-1)).toMatchObject({
        numFiles: 100,
        truncated: true,
        totalMatches: 301,
        countIsComplete: true,
      });
      expect(results(outcome)).toMatchObject([{ subtype: 'success', result: 'Done.' }]);
    },
  },
  {
    name: 'Grep finds files, lines and counts',
    cites: 's15-glob-grep, R49',
    script: calls('Grep', [
      { pattern: 'alpha' },
      { pattern: 'alpha', glob: '*.ts' },
      { pattern: 'alpha', type: 'js' },
      { pattern: 'alpha', output_mode: 'content', path: 'a.ts' },
      { pattern: 'alpha', output_mode: 'content', glob: '*.js *.jsx' },
      { pattern: 'alpha', output_mode: 'content', glob: '*.js', '-i': true, '-o': true },
      { pattern: 'alpha', output_mode: 'content', '-n': false, path: 'src/deep' },
      { pattern: 'return', output_mode: 'content', '-C': 1 },
      { pattern: 'return', output_mode: 'content', '-B': 1, path: 'a.ts' },
      { pattern: 'alpha', output_mode: 'content', '-A': 1, '-C': 0, path: 'a.ts' },
      { pattern: 'alpha', output_mode: 'content', '-A': 1, path: 'src/deep' },
      { pattern: 'alpha', output_mode: 'count', path: 'a.ts' },
      { pattern: 'alpha', output_mode: 'count', path: 'src/deep', '-i': 'true' },
      { pattern: 'function.*return', output_mode: 'content', multiline: true },
      { pattern: 'needle', output_mode: 'content', path: 'long.txt' },
      { pattern: '^alpha$', output_mode: 'content', path: 'src/deep' },
      { pattern: '-alpha' },
      { pattern: 'none-such', output_mode: 'content' },
      { pattern: 'none-such', output_mode: 'count' },
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, TREE);
      return searching;
    },
    check: (outcome) => {
      const found = details(outcome);
      expect(found[0]).toMatchObject({
        mode: 'files_with_matches',
        filenames: ['.hidden/d.ts', 'src/deep/c.tsx', 'src/b.js', 'a.ts'],
        totalFiles: 4,
      });
      expect(found[1]?.filenames).toEqual(['g.ts', '.hidden/d.ts', 'a.ts']);
      expect(found[3]).toMatchObject({
        content: '1:const alpha = 1;\n3:  return alpha;',
        numLines: 2,
        totalLines: 2,
      });
      expect(found[5]?.content).toBe('src/b.js:2:ALPHA\nsrc/b.js:2:alpha');
      expect(found[7]?.content).toBe('a.ts-2-function beta() {\na.ts:3:  return alpha;\na.ts-4-}');
      expect(found[11]).toMatchObject({ mode: 'count', content: 'a.ts:2', numMatches: 2, numFiles: 1 });
      expect(found[15]).toMatchObject({ mode: 'content', content: '', numLines: 0 });
    },
  },
  {
    name: 'Grep shows a page at a time, and refuses what it cannot search for',
    cites: 's15-glob-grep, R49',
    script: calls('Grep', [
      { pattern: 'needle', path: 'lots', head_limit: 2 },
      { pattern: 'needle', path: 'lots', head_limit: '2', offset: 297 },
      { pattern: 'needle', path: 'lots', head_limit: 0, offset: 298 },
      { pattern: 'needle', path: 'lots', offset: 300 },
      { pattern: 'needle', path: 'lots' },
      { pattern: 'alpha', output_mode: 'content', path: 'a.ts', head_limit: 1 },
      { pattern: 'alpha', output_mode: 'content', path: 'a.ts', head_limit: 1, offset: 1 },
      { pattern: 'alpha', output_mode: 'content', path: 'a.ts', offset: 2 },
      { pattern: 'alpha', output_mode: 'count', path: 'a.ts', offset: 1 },
      { pattern: 'needle', head_limit: -1 },
      { pattern: 'needle', offset: 1.5 },
      { pattern: 'needle', output_mode: 'some' },
      { pattern: 'needle', other: 1 },
      {},
      { pattern: '(' },
      { pattern: '(?=x)' },
      { pattern: 'a', glob: '[' },
      { pattern: 'a', type: 'none-such' },
      { pattern: 'a', path: 'nowhere' },
    ]),
    options: ({ box }) => {
      writeFiles(box.cwd, { ...TREE, ...LOTS });
      return searching;
    },
    check: (outcome) => {
      const found = details(outcome);
      expect(found[0]).toMatchObject({ numFiles: 2, totalFiles: 300, appliedLimit: 2 });
      expect(found[1]).toMatchObject({ filenames: ['lots/f2.txt', 'lots/f1.txt'], appliedOffset: 297 });
      expect(found[4]).toMatchObject({ numFiles: 250, appliedLimit: 250 });
      expect(found.slice(9).every((detail) => typeof detail === 'string')).toBe(true);
    },
  },
  {
    name: 'Glob and Grep leave out what a rule forbids to read',
    cites: 's15-permission-deny-rules, R49, R51',
    script: [
      toolUse('Glob', { pattern: '*.ts' }),
      toolUse('Grep', { pattern: 'alpha' }),
      toolUse('Grep', { pattern: 'alpha', output_mode: 'count', glob: '*.ts' }),
      toolUse('Grep', { pattern: 'alpha', path: 'secret/s.ts' }),
      toolUse('Glob', { pattern: '*', path: 'secret' }),
      text('Done.'),
    ],
    options: ({ box }) => {
      writeFiles(box.cwd, { 'a.ts': 'alpha\n', 'secret/s.ts': 'alpha\n', 'secret/deep/t.ts': 'alpha\n' });
      return { ...searching, disallowedTools: ['Read(./secret/**)'] };
    },
    check: (outcome) => {
      const found = details(outcome);
      expect(found[0]).toMatchObject({ filenames: ['a.ts'], totalMatches: 1 });
      expect(found[1]).toMatchObject({ filenames: ['a.ts'], totalFiles: 1 });
      expect(found[2]).toMatchObject({ content: 'a.ts:1', numMatches: 1 });
      expect(typeof found[3]).toBe('string');
      expect(typeof found[4]).toBe('string');
    },
  },
  {
    name: 'Glob and Grep are offered where Bash is not',
    cites: 'R48, R49',
    script: [text('Hello.')],
    options: ({ box }) => {
      mkdirSync(join(box.cwd, 'src'));
      return { disallowedTools: ['Bash'] };
    },
    check: (outcome) => {
      const init = outcome.messages.find(
        (message) => message.type === 'system' && message.subtype === 'init',
      );
      expect((init as { tools?: string[] }).tools).toEqual(expect.arrayContaining(['Glob', 'Grep', 'Read']));
    },
  },
];
