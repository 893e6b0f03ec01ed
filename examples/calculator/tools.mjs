import { createSdkMcpServer, tool } from 'tenon';
import { z } from 'zod';

const numbers = { a: z.number().describe('the first number'), b: z.number().describe('the second number') };

const add = tool('add', 'Add two numbers', numbers, ({ a, b }) => a + b);
const subtract = tool('subtract', 'Subtract the second number from the first', numbers, ({ a, b }) => a - b);
const multiply = tool('multiply', 'Multiply two numbers', numbers, ({ a, b }) => a * b);
const divide = tool('divide', 'Divide the first number by the second', numbers, ({ a, b }) => {
  // A thrown error becomes a result that the model reads, so the text says what to do.
  if (b === 0) throw new Error('Division by zero. Ask for another divisor.');
  return a / b;
});

export const calculator = createSdkMcpServer({
  name: 'calculator',
  tools: [add, subtract, multiply, divide],
  alwaysLoad: true,
});
