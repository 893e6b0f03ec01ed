/** What holds for every command and every path, not only for those that somebody thought of. */
import { describe, expect, it } from 'vitest';
import { covers } from '../../../src/runtime/permissions/commands/command-rules.js';
import { readShellLine } from '../../../src/runtime/permissions/commands/shell-line.js';
import { isInside, normalPath } from '../../../src/runtime/permissions/paths/locations.js';
import { literalPath, mayBeSame, pathPattern } from '../../../src/runtime/permissions/paths/path-pattern.js';
import fc from '../../support/property.js';
import { HOME, namesOnly, ROOT, verdict } from './support.js';

/** Programs that run the command in their arguments. */
const runner = fc.constantFrom(
  ...[
    'env ',
    'nohup ',
    'nice -n 1 ',
    'timeout 5 ',
    'timeout -k 1 5 ',
    'stdbuf -o0 ',
    'sudo -u x ',
    'env A=b ',
  ],
  ...['xargs -n1 ', 'setsid ', 'busybox ', 'strace -f ', 'env -i ', 'ionice -c 3 '],
);

/** Ways to write a line into another, any number of times. */
const wrapping = fc.constantFrom<(command: string) => string>(
  ...['ls && ', 'ls; ', 'ls | ', 'ls || ', 'ls\n', 'ls & ', '! ', 'time '].map(
    (before) => (command: string) => `${before}${command}`,
  ),
  (command) => `(${command})`,
  (command) => `{ ${command}; }`,
  (command) => `echo $(${command})`,
  (command) => `echo "$(${command})"`,
  (command) => `cat <(${command})`,
  (command) => `X=$(${command})`,
  (command) => `if ${command}; then ls; fi`,
  (command) => `for i in a; do ${command}; done`,
  (command) => `f() { ${command}; }`,
  (command) => `${command} > n`,
  (command) => `${command} && ls`,
  (command) => `bash -c ${quoted(command)}`,
  (command) => `sh -lc ${quoted(command)}`,
  (command) => `eval ${quoted(command)}`,
  (command) => `trap ${quoted(command)} EXIT`,
  (command) => `cat <<E\n$(${command})\nE`,
);

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Other spellings of one name. */
const spelled = fc.constantFrom(
  'rm',
  '/bin/rm',
  './rm',
  '\\rm',
  '"rm"',
  "r'm'",
  'r""m',
  "$'rm'",
  'r\\\nm',
  'RM',
);

describe('a denied command', () => {
  it('R51: never runs, whatever it is wrapped in', async () => {
    const runners = fc.array(runner, { maxLength: 3 });
    const property = fc.asyncProperty(
      spelled,
      runners,
      fc.array(wrapping, { maxLength: 5 }),
      async (name, around, wrappings) => {
        const line = wrappings.reduce((command, wrap) => wrap(command), `${around.join('')}${name} x`);
        expect([line, await verdict({ allow: ['Bash'], deny: ['Bash(rm:*)'] }, line)]).not.toEqual([
          line,
          'allow',
        ]);
      },
    );
    await fc.assert(property, { numRuns: 600 });
  });
});

describe('an allowed line', () => {
  const word = fc.constantFrom(
    'touch',
    'ls',
    'chmod',
    'a',
    'b.txt',
    '$X',
    '*',
    '"a b"',
    '>',
    '&&',
    ';',
    '|',
    '$(ls)',
    '../x',
    '~/x',
    '-l',
  );
  const line = fc.array(word, { minLength: 1, maxLength: 7 }).map((words) => words.join(' '));

  it('R51: has nothing in it but what rules cover and what only reads', async () => {
    let allowed = 0;
    const property = fc.asyncProperty(line, async (command) => {
      if ((await verdict({ allow: ['Bash(touch:*)'] }, command)) !== 'allow') return;
      allowed += 1;
      const { commands, doubts } = readShellLine(command);
      expect(doubts).toEqual([]);
      for (const { words, source } of commands) {
        const name = words[0]?.value;
        expect([command, name === 'ls' || covers('touch:*', words, source)]).toEqual([command, true]);
      }
      expect(command).not.toMatch(/\$\(|\.\.\/x|~\/x|> [^/]/);
    });
    await fc.assert(property, { numRuns: 3_000 });
    expect(allowed).toBeGreaterThan(50);
  });

  it('R51: is allowed with more rules if it is with fewer, unless one of them restricts', async () => {
    const property = fc.asyncProperty(line, async (command) => {
      const few = await verdict({ allow: ['Bash(touch:*)'] }, command);
      const more = await verdict({ allow: ['Bash(touch:*)', 'Bash(chmod:*)'] }, command);
      if (few === 'allow') expect([command, more]).toEqual([command, 'allow']);
    });
    await fc.assert(property, { numRuns: 500 });
  });
});

describe('a path', () => {
  const name = fc.constantFrom(
    'a',
    'b',
    '..',
    '.',
    '',
    'docs',
    'outlink',
    'doclink',
    'passwords',
    'é',
    'e\u0301',
    'DOCS',
    ' ',
    '%2e%2e',
    '\\..',
    '...',
  );
  const path = fc.array(name, { minLength: 1, maxLength: 8 }).map((names) => `${ROOT}/${names.join('/')}`);

  it('R51: never leaves the roots, however it is written and wherever links lead', async () => {
    const workspace = namesOnly();
    const property = fc.asyncProperty(
      path,
      fc.constantFrom('Read' as const, 'Write' as const),
      async (given, tool) => {
        const decided = await verdict({ mode: 'acceptEdits' }, [tool, given]);
        const { real } = await workspace.locate(given);
        if (decided === 'allow') expect([given, isInside(ROOT, real)]).toEqual([given, true]);
      },
    );
    await fc.assert(property, { numRuns: 2_000 });
  });

  it('R51: is inside a directory or not, whatever `..` and slashes it is written with', () => {
    const property = fc.property(path, (given) => {
      const normal = normalPath(given);
      expect(normal).not.toMatch(/\/\/|\/\.\.?(\/|$)/);
      expect(normalPath(normal)).toBe(normal);
    });
    fc.assert(property);
  });

  it('R51: that a rule denies is denied in every spelling of its letters', async () => {
    const cases = fc.constantFrom('secret', 'Secret', 'SECRET', 'sEcReT');
    const property = fc.asyncProperty(
      cases,
      fc.constantFrom('./', '', '/', '**/'),
      async (written, anchor) => {
        const decided = await verdict({ allow: ['Read'], deny: [`Read(${anchor}secret/**)`] }, [
          'Read',
          `${written}/s.txt`,
        ]);
        expect([written, anchor, decided]).toEqual([written, anchor, 'deny']);
      },
    );
    await fc.assert(property);
  });
});

describe('a pattern', () => {
  /** The same by an expression, which is slow for hostile patterns and plain to read. */
  function expression(pattern: string): RegExp {
    const names = pattern.split('/').filter((each) => each !== '' && each !== '.');
    const part = (each: string): string =>
      each === '**'
        ? '(?:[^/]+/)*'
        : `${[...each].map((character) => (character === '*' ? '[^/]*' : character === '?' ? '[^/]' : character)).join('')}/`;
    const start = pattern.startsWith('/') || names.length > 1 ? '' : '(?:[^/]+/)*';
    return new RegExp(`^/base/${start}${names.map(part).join('')}(?:[^/]+/)*$`);
  }

  it('R51: matches what the expression of .gitignore matches', () => {
    const piece = fc.constantFrom('a', 'b', 'ab', '*', '?', '**', 'a*', '*b', 'a?b');
    const pattern = fc
      .tuple(fc.constantFrom('', '/'), fc.array(piece, { minLength: 1, maxLength: 4 }))
      .map(([anchor, pieces]) => anchor + pieces.join('/'));
    const names = fc.array(fc.constantFrom('a', 'b', 'ab', 'aab', 'abb', 'c'), {
      minLength: 1,
      maxLength: 5,
    });
    const property = fc.property(pattern, names, (written, path) => {
      const compiled = pathPattern('/base', written, { isFolded: false, isLoose: false });
      const given = `/base/${path.join('/')}`;
      expect([written, given, mayBeSame(compiled, literalPath(given, false))]).toEqual([
        written,
        given,
        expression(written).test(`${given}/`),
      ]);
    });
    fc.assert(property, { numRuns: 3_000 });
  });

  it('R51: with thousands of stars is compared without trying every way to split the path', () => {
    const hostile = pathPattern('/', `/${'**/*a*a*a*/'.repeat(200)}b`, { isFolded: true, isLoose: true });
    expect(mayBeSame(hostile, literalPath(`/${'a'.repeat(2_000)}/${'aaa/'.repeat(500)}c`, true))).toBe(false);
    expect(mayBeSame(hostile, literalPath(`/${'aaa/'.repeat(200)}b`, true))).toBe(true);
  });

  it('R51: with home in it means nothing where there is no home', async () => {
    expect(await verdict({ allow: ['Read(~/**)'] }, ['Read', `${HOME}/h.txt`])).toBe('allow');
    expect(await verdict({ allow: ['Read(~/work/**)'] }, ['Read', `${HOME}/h.txt`])).toBe('ask');
  });
});
