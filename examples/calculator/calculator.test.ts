import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backends, callTools, play } from '../shared/testing.js';
import { evaluate } from './evaluate.mjs';
import { example } from './example.mjs';

const call = (name: string, input: Record<string, unknown>) => ({ name: `mcp__calculator__${name}`, input });

describe.each(backends)('the calculator on %s (R35)', (backend) => {
  it('works the question out with its five tools', async () => {
    const { calls, answer } = await play(example, backend);
    expect(calls.map(({ tool, text, isError }) => [tool, text, isError])).toEqual([
      ['add', '42', false],
      ['subtract', '42', false],
      ['divide', expect.stringContaining('Division by zero'), true],
      ['evaluate', '2', false],
      ['multiply', '126', false],
    ]);
    expect(answer).toContain('is 126');
  });

  it('answers bad input of each tool with an error that says what is wrong', async () => {
    const outcomes = await callTools(example, backend, [
      call('add', { a: 'many', b: 2 }),
      call('subtract', { a: 1 }),
      call('multiply', { a: 1e308, b: 10 }),
      call('divide', { a: 1, b: 0 }),
      call('evaluate', { expression: 'process.exit()' }),
      call('evaluate', { expression: '1 / (2 - 2)' }),
    ]);
    expect(outcomes.map(({ isError }) => isError)).toEqual([true, true, true, true, true, true]);
    expect(outcomes.map(({ text }) => text)).toEqual([
      expect.stringMatching(/a\b.*number/s),
      expect.stringMatching(/b\b.*(number|required)/is),
      expect.stringContaining('too large'),
      expect.stringContaining('Division by zero'),
      expect.stringContaining('Unexpected "p" at position 1'),
      expect.stringContaining('Division by zero'),
    ]);
  });
});

describe('the expression evaluator (R35)', () => {
  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['8 - 3 - 2', 3],
    ['8 / 4 / 2', 1],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['(-2) ^ 2', 4],
    ['2 ^ -1', 0.5],
    ['2 * -3', -6],
    ['--5', 5],
    ['7 % 4 * 2', 6],
    [' .5+1e3 ', 1000.5],
    ['1.e2', 100],
  ])('knows that %s is %d', (expression, value) => {
    expect(evaluate(expression)).toBe(value);
  });

  it.each([
    ['', 'ends too soon'],
    ['   ', 'ends too soon'],
    ['1 +', 'ends too soon'],
    ['(1 + 2', 'expected ")"'],
    ['1 2', 'Unexpected "2" at position 3: expected an operator'],
    ['2 (3)', 'Unexpected "(" at position 3'],
    [')', 'Unexpected ")" at position 1'],
    ['* 2', 'Unexpected "*"'],
    ['1..2', 'expected an operator'],
    ['0x10', 'Unexpected "x" at position 2'],
    ['constructor', 'Unexpected "c"'],
    ['[].at', 'Unexpected "["'],
    ['1; 2', 'Unexpected ";" at position 2'],
    ['5 % 0', 'Division by zero'],
    ['10 ^ 400', 'too large'],
    ['(-8) ^ 0.5', 'not a real number'],
    ['0 / 0', 'Division by zero'],
    ['1'.repeat(1001), 'at most 1000'],
    ['('.repeat(500), 'nested more than 100 levels'],
    ['-'.repeat(999), 'nested more than 100 levels'],
    [`2${'^2'.repeat(499)}`, 'nested more than 100 levels'],
  ])('refuses %j and says why', (expression, reason) => {
    expect(() => evaluate(expression)).toThrow(reason);
  });

  it('gives what the tree of the expression gives, however it is nested and spaced', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom('', ' ', '  '), (node, space) => {
        const value = worthOf(node);
        fc.pre(Number.isFinite(value));
        expect(evaluate(textOf(node, space))).toBe(value);
      }),
      { numRuns: 500 },
    );
  });

  it('never does anything but return a number or throw an Error', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789.eE+-*/%^() x'), maxLength: 40 }),
        (text) => {
          try {
            expect(Number.isFinite(evaluate(text))).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
            expect(error).not.toBeInstanceOf(RangeError);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

it('runs as a program, without colours in a pipe', async () => {
  const program = fileURLToPath(new URL('main.mjs', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    output += part;
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(output).toContain('calculator.multiply({"a":42,"b":3})');
  expect(output).toContain('error: Division by zero.');
  expect(output).not.toContain('\u001b');
});

type Tree = number | { operator: string; left: Tree; right: Tree } | { negated: Tree };

const PRECEDENCE: Record<string, number> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 4 };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.integer({ min: 0, max: 20 }),
    fc.record({
      operator: fc.constantFrom('+', '-', '*', '/', '%', '^'),
      left: tie('tree'),
      right: tie('tree'),
    }),
    fc.record({ negated: tie('tree') }),
  ),
}));

/** NaN where the evaluator must refuse. */
function worthOf(node: Tree): number {
  if (typeof node === 'number') return node;
  if ('negated' in node) return -worthOf(node.negated);
  const [left, right] = [worthOf(node.left), worthOf(node.right)];
  switch (node.operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? Number.NaN : left / right;
    case '%':
      return right === 0 ? Number.NaN : left % right;
    default:
      return left ** right;
  }
}

/** With no more parentheses than precedence asks for. */
function textOf(node: Tree, space: string): string {
  const wrap = (child: Tree, isLoose: boolean) =>
    isLoose ? `(${textOf(child, space)})` : textOf(child, space);
  if (typeof node === 'number') return String(node);
  if ('negated' in node) return `-${wrap(node.negated, strength(node.negated) < 3)}`;
  const own = strength(node);
  const isPower = node.operator === '^';
  const left = wrap(node.left, isPower ? strength(node.left) <= own : strength(node.left) < own);
  const right = wrap(node.right, isPower ? strength(node.right) < 3 : strength(node.right) <= own);
  return `${left}${space}${node.operator}${space}${right}`;
}

function strength(node: Tree): number {
  if (typeof node === 'number') return 5;
  return 'negated' in node ? 3 : (PRECEDENCE[node.operator] ?? 0);
}
