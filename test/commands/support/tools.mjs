// A file of tools as a user would write it, but for the place that it imports from.
import { setTimeout as wait } from 'node:timers/promises';
import { tool } from '../../../dist/index.js';

const numbers = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
};

export const add = tool('add', 'Adds', numbers, ({ a, b }) => a + b);

export const divide = tool('divide', 'Divides', numbers, ({ a, b }) => {
  if (b === 0) throw new Error('Division by zero.');
  return a / b;
});

export const slow = tool('slow', 'Takes its time', { type: 'object' }, async (_, { signal }) => {
  await wait(60_000, undefined, { signal });
  return 'at last';
});

export const loud = tool('loud', 'Prints', { type: 'object' }, () => {
  console.log('from the tool');
  return '\u001b[31mred\u001b[39m\r\nand\tmore';
});

export const deaf = tool('deaf', 'Does not listen to the signal', { type: 'object' }, () => wait(60_000));
