/** `ai-sdk-provider-claude-code` (MIT), Claude Code as a model of the AI SDK, written for the official SDK 0.3.226. */
import { expect, it } from 'vitest';
import { scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { cliPath, sandbox } from '../support/real-cli.js';
import { installWithTenon } from './support/installation.js';

it('has in-process tools, permissions, hooks, structured output, a warm start, and conversations that go on', async () => {
  await using installed = await installWithTenon('ai-sdk-provider-claude-code');
  await using box = sandbox();
  await using api = await scriptedMessagesApi([
    toolUse('mcp__calc__add', { a: 15, b: 27 }),
    toolUse('mcp__letters__upper', { letters: 'abc' }),
    text('It is 42.'),
    toolUse('Bash', { command: 'touch file' }),
    text('I may not.'),
    toolUse('StructuredOutput', { number: 7 }),
    text('Quite warm.'),
  ]);
  const env = JSON.stringify(box.env(api));
  expect(await installed.run('ai-sdk.mjs', cliPath, env, box.cwd)).toEqual({
    first: 'It is 42.',
    toolResults: [
      ['mcp__calc__add', 42],
      ['mcp__letters__upper', 'ABC'],
    ],
    usage: 90,
    second: 'I may not.',
    errors: ['Bash: No shell here.'],
    third: { number: 7 },
    warmAnswer: 'Quite warm.',
    events: [
      ['PreToolUse', 'mcp__calc__add'],
      ['canUseTool', 'mcp__calc__add'],
      ['PostToolUse', 'mcp__calc__add'],
      ['PreToolUse', 'mcp__letters__upper'],
      ['canUseTool', 'mcp__letters__upper'],
      ['PostToolUse', 'mcp__letters__upper'],
      ['PreToolUse', 'Bash'],
      ['canUseTool', 'Bash'],
      ['PreToolUse', 'StructuredOutput'],
      ['PostToolUse', 'StructuredOutput'],
    ],
    sessions: 3,
    roles: Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'user' : 'assistant')),
    forked: 4,
  });
  // The second call went on with the first one's conversation.
  expect(JSON.stringify(api.requests[3]?.body.messages)).toContain('What is 15 + 27?');
  api.assertDone();
});
