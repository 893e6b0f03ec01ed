import { utilities } from './tools.mjs';

/** @type {import('../shared/agent.mjs').Example} */
export const example = {
  name: 'utilities',
  question:
    'What time is it in Kathmandu and in Honolulu, what is the SHA-256 of "tenon", and give me a fresh UUID.',
  systemPrompt:
    'You answer with the tools you have. If a tool reports an error, correct the call and try again.',
  open: () => ({ options: { mcpServers: { utilities }, allowedTools: ['mcp__utilities__*'] } }),
  script: ({ index, results }) => {
    if (index === 0) {
      return [
        { name: 'mcp__utilities__time_in_zone', input: { zone: 'Asia/Kathmandu' } },
        { name: 'mcp__utilities__time_in_zone', input: { zone: 'Honolulu' } },
        { name: 'mcp__utilities__hash', input: { text: 'tenon', algorithm: 'sha256' } },
        { name: 'mcp__utilities__uuid' },
      ];
    }
    if (index > 1) return `And in Honolulu it is ${results[0]?.text}.`;
    // The error of the second call suggested the right zone.
    const zone = /Did you mean (\S+?)\?/.exec(results[1]?.text ?? '')?.[1];
    return [{ name: 'mcp__utilities__time_in_zone', input: { zone } }];
  },
};
