import { calculator } from './tools.mjs';

/** @type {import('../shared/agent.mjs').Example} */
export const example = {
  name: 'calculator',
  question:
    'What is (15 + 27) * 3, what is 100 - 58, what is 7 divided by zero, and what is -2 ^ 2 + 18 / (4 - 1)?',
  systemPrompt: 'You are a calculator. Use the tools for every operation, and answer in one sentence.',
  open: () => ({
    options: { mcpServers: { calculator }, allowedTools: ['mcp__calculator__*'] },
  }),
  script: ({ index, results }) => {
    if (index === 0) {
      return [
        { name: 'mcp__calculator__add', input: { a: 15, b: 27 } },
        { name: 'mcp__calculator__subtract', input: { a: 100, b: 58 } },
        { name: 'mcp__calculator__divide', input: { a: 7, b: 0 } },
        { name: 'mcp__calculator__evaluate', input: { expression: '-2 ^ 2 + 18 / (4 - 1)' } },
      ];
    }
    if (index === 1) {
      return [{ name: 'mcp__calculator__multiply', input: { a: Number(results[0]?.text), b: 3 } }];
    }
    return `(15 + 27) * 3 is ${results[0]?.text}; 100 - 58 is 42; nothing can be divided by zero; the last one is 2.`;
  },
};
