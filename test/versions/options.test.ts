/** What is set from outside reaches the CLI, whether its version takes it as a flag or in `initialize`. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Options, ProcessError } from '../../src/index.js';
import { text, toolUse } from '../../src/testing/index.js';
import { collect } from '../support/real-cli.js';
import type { Cli } from './support/fetch-cli.js';
import { scenario } from './support/scenario.js';
import { resultsOf, stage } from './support/stage.js';

/** Only the CLI's own prompt says this, in every version. */
const OWN_PROMPT = 'IMPORTANT: Assist with';

async function systemPromptWith(cli: Cli, options: Options): Promise<string> {
  await using on = await stage(cli, [text('Hello.')]);
  const { error } = await collect(on.query('Hi', options));
  expect(error).toBeUndefined();
  return on.api.requests[0]?.system ?? '';
}

scenario('a system prompt of your own replaces that of the CLI', async (cli) => {
  const system = await systemPromptWith(cli, { systemPrompt: '- Speak like a pirate.' });
  expect(system).toContain('- Speak like a pirate.');
  expect(system).not.toContain(OWN_PROMPT);
});

scenario('a system prompt in several blocks', async (cli) => {
  const system = await systemPromptWith(cli, { systemPrompt: ['Speak like a pirate.', 'Be brief.'] });
  expect(system).toMatch(/Speak like a pirate\.\s+Be brief\./);
  expect(system).not.toContain(OWN_PROMPT);
});

scenario('the preset with something appended', async (cli) => {
  const system = await systemPromptWith(cli, {
    systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Speak like a pirate.' },
  });
  expect(system).toContain('Speak like a pirate.');
  expect(system).toContain(OWN_PROMPT);
});

scenario(
  'no system prompt is an empty one',
  async (cli) => {
    expect(await systemPromptWith(cli, {})).not.toContain(OWN_PROMPT);
  },
  [
    {
      before: '1.0.128',
      reason: 'An empty system prompt counts as none: the CLI takes its own.',
      play: async (cli) => {
        expect(await systemPromptWith(cli, {})).toContain(OWN_PROMPT);
      },
    },
  ],
);

scenario('a link to the CLI under another name, as in node_modules/.bin', async (cli) => {
  await using on = await stage(cli, [text('Hello.')]);
  const link = join(on.box.cwd, 'claude');
  symlinkSync(cli.path, link);
  const { error } = await collect(
    on.query('Hi', { pathToClaudeCodeExecutable: link, systemPrompt: 'Speak like a pirate.' }),
  );
  expect(error).toBeUndefined();
  expect(on.api.requests[0]?.system).toContain('Speak like a pirate.');
});

const schema = {
  type: 'object',
  properties: { answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
};

scenario(
  'structured output',
  async (cli) => {
    await using on = await stage(cli, [toolUse('StructuredOutput', { answer: 42 }), text('It is 42.')]);
    const { messages, error } = await collect(
      on.query('What is 15 + 27?', { outputFormat: { type: 'json_schema', schema } }),
    );
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toMatchObject([{ subtype: 'success', structured_output: { answer: 42 } }]);
  },
  [
    {
      before: '2.0.50',
      reason: 'No structured output: the query fails with `BAD_FLAG` before a turn begins.',
      play: (cli) => refused(cli, { outputFormat: { type: 'json_schema', schema } }),
    },
  ],
);

const agents = { reviewer: { description: 'Reviews poems of sailors', prompt: 'You review poems.' } };

scenario(
  'agents reach the CLI',
  async (cli) => {
    await using on = await stage(cli, [text('Hello.')]);
    const { error } = await collect(on.query('Hi', { agents }));
    expect(error).toBeUndefined();
    expect(JSON.stringify(on.api.requests[0]?.body)).toContain('Reviews poems of sailors');
  },
  [
    {
      before: '1.0.128',
      reason: 'No agents from outside: the query fails with `BAD_FLAG` before a turn begins.',
      play: (cli) => refused(cli, { agents }),
    },
  ],
);

scenario(
  'no setting sources',
  async (cli) => {
    await using on = await stage(cli, [text('Hello.')]);
    const { messages, error } = await collect(on.query('Hi', { settingSources: [] }));
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toMatchObject([{ subtype: 'success', result: 'Hello.' }]);
  },
  [
    {
      before: '1.0.128',
      reason: 'No choice of setting sources: the query fails with `BAD_FLAG` before a turn begins.',
      play: (cli) => refused(cli, { settingSources: [] }),
    },
  ],
);

scenario(
  'no built-in tools',
  async (cli) => {
    await using on = await stage(cli, [text('Hello.')]);
    const { error } = await collect(on.query('Hi', { tools: [] }));
    expect(error).toBeUndefined();
    expect(on.api.requests[0]?.toolNames).toEqual([]);
  },
  [
    {
      before: '2.0.50',
      reason: 'No choice of built-in tools: the query fails with `BAD_FLAG` before a turn begins.',
      play: (cli) => refused(cli, { tools: [] }),
    },
  ],
);

async function refused(cli: Cli, options: Options): Promise<void> {
  await using on = await stage(cli, [text('Never said.')]);
  const { messages, error } = await collect(on.query('Hi', options));
  expect(messages).toEqual([]);
  expect(error).toBeInstanceOf(ProcessError);
  expect(error).toMatchObject({ code: 'BAD_FLAG', cliVersion: cli.version });
  expect(on.api.requests).toEqual([]);
}
