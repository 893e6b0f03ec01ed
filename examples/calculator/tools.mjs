import { createSdkMcpServer, tool } from 'tenon';
import { z } from 'zod';
import { evaluate } from './evaluate.mjs';

const numbers = { a: z.number().describe('the first number'), b: z.number().describe('the second number') };

/**
 * JSON has no infinity: a result that is too large for a number is an error, not `null`.
 *
 * @param {number} value
 */
const finite = (value) => {
  if (!Number.isFinite(value)) throw new Error('The result is too large for a number. Use smaller numbers.');
  return value;
};

const add = tool('add', 'Add two numbers', numbers, ({ a, b }) => finite(a + b));
const subtract = tool('subtract', 'Subtract the second number from the first', numbers, ({ a, b }) =>
  finite(a - b),
);
const multiply = tool('multiply', 'Multiply two numbers', numbers, ({ a, b }) => finite(a * b));
const divide = tool('divide', 'Divide the first number by the second', numbers, ({ a, b }) => {
  // A thrown error becomes a result that the model reads, so the text says what to do.
  if (b === 0) throw new Error('Division by zero. Ask for another divisor.');
  return finite(a / b);
});

const evaluateTool = tool(
  'evaluate',
  'Evaluate an arithmetic expression: numbers, + - * / % ^ and parentheses, for example "2 * (3 + 4) ^ 2"',
  { expression: z.string().describe('the expression') },
  ({ expression }) => evaluate(expression),
);

export const calculator = createSdkMcpServer({
  name: 'calculator',
  tools: [add, subtract, multiply, divide, evaluateTool],
  alwaysLoad: true,
});
