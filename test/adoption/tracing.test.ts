/** Tracers that wrap the SDK's exports: OpenInference's (Apache-2.0), which adds hooks, and LangSmith's (MIT). */
import { expect, it } from 'vitest';
import { scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { cliPath, sandbox } from '../support/real-cli.js';
import { installWithTenon } from './support/installation.js';

it('wrap query(), tool() and createSdkMcpServer() and see every call', async () => {
  await using installed = await installWithTenon(
    '@arizeai/openinference-instrumentation-claude-agent-sdk',
    'langsmith',
  );
  await using box = sandbox();
  const conversation = [toolUse('mcp__calc__add', { a: 15, b: 27 }), text('It is 42.')];
  await using api = await scriptedMessagesApi([...conversation, ...conversation]);
  const answers = await installed.run('tracing.mjs', cliPath, JSON.stringify(box.env(api)), box.cwd);
  expect(answers).toEqual({
    openInference: 'It is 42.',
    // Of hooks that the tracer adds to the options, and of the messages.
    spans: [
      ['TOOL', 'mcp__calc__add', JSON.stringify([{ type: 'text', text: '42' }])],
      ['AGENT', 'What is 15 + 27?', 'It is 42.'],
    ],
    langSmith: 'It is 42.',
    runs: [
      'chain claude.conversation',
      'llm claude.assistant.turn',
      'tool mcp__calc__add',
      'llm claude.assistant.turn',
    ],
  });
  api.assertDone();
});
