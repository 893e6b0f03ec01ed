/** `agent`: the conversation runs as that agent, with its prompt, or not at all (R72). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { OptionError, type Options, query, startup } from '../../src/index.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { memoryTransportPair } from '../../src/protocol/transport/memory-transport.js';
import { text } from '../../src/testing/index.js';
import { holdTimers } from '../support/held-timers.js';
import { alive, collect, type Sandbox, waitUntil } from '../support/real-cli.js';
import { type ScriptedCli, scriptedCli } from '../support/scripted-cli.js';

function place(path: string, name: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `---\nname: ${name}\ndescription: Reviews.\n---\nI am ${name}.\n`);
}

/** Agents of the project, of the user and of a plugin. */
function placeAgents({ cwd, configDir }: Sandbox): void {
  place(join(cwd, '.claude', 'agents', 'ours.md'), 'ours');
  place(join(configDir, 'agents', 'mine.md'), 'mine');
  const plugin = join(cwd, 'plugin');
  place(join(plugin, 'agents', 'theirs.md'), 'theirs');
  mkdirSync(join(plugin, '.claude-plugin'));
  writeFileSync(join(plugin, '.claude-plugin', 'plugin.json'), '{ "name": "plugin", "version": "1.0.0" }');
}

const withPlugin = ({ box }: ScriptedCli): Options => ({
  plugins: [{ type: 'local', path: join(box.cwd, 'plugin') }],
});

describe('the prompt of', () => {
  const inOptions: Options = { agents: { given: { description: 'Reviews.', prompt: 'I am given.' } } };
  const cases: [what: string, agent: string, says: string, options: (cli: ScriptedCli) => Options][] = [
    ['an agent of the project', 'ours', 'I am ours.', () => ({ settingSources: ['project'] })],
    ['an agent of the user', 'mine', 'I am mine.', () => ({ settingSources: ['user'] })],
    ['an agent of a plugin', 'plugin:theirs', 'I am theirs.', withPlugin],
    ['an agent of a plugin, by its short name', 'theirs', 'I am theirs.', withPlugin],
    ['an agent of the options', 'given', 'I am given.', () => inOptions],
    [
      'an agent, replaced by a prompt of your own,',
      'ours',
      'I am somebody else.',
      () => ({ settingSources: ['project'], systemPrompt: 'I am somebody else.' }),
    ],
  ];

  it.each(cases)('%s is what the model reads', async (_, agent, says, options) => {
    await using cli = await scriptedCli([text('Hello.')]);
    placeAgents(cli.box);
    const { error } = await collect(
      query({ prompt: 'Go.', options: cli.options({ settingSources: [], agent, ...options(cli) }) }),
    );
    expect(error).toBeUndefined();
    const read = JSON.stringify(cli.api.requests[0]?.body.system);
    expect(read.match(/I am \w+( else)?\./g)).toEqual([says]);
    cli.api.assertDone();
  });
});

describe('an agent that does not exist', () => {
  const unknown = expect.objectContaining({ code: 'AGENT_NOT_FOUND', option: 'agent', value: 'our' });

  it('is an error that names those that do, and no model is asked', async () => {
    await using cli = await scriptedCli([text('Never said.')]);
    placeAgents(cli.box);
    const conversation = query({
      prompt: 'Go.',
      options: cli.options({ agent: 'our', settingSources: ['project'] }),
    });
    const { messages, error } = await collect(conversation);
    expect(error).toBeInstanceOf(OptionError);
    expect(error).toEqual(unknown);
    expect((error as Error).message).toMatch(
      /^`agent`: there is no agent "our"\. Did you mean "ours"\? The agents are: .*Explore.*ours/,
    );
    expect((error as Error).message).toContain('`settingSources`');
    expect(messages).toEqual([]);
    await expect(conversation.initializationResult()).rejects.toEqual(unknown);
    await conversation.exited;
    expect(cli.api.requests).toEqual([]);
  });

  it('also when the case is another, or nothing reads the file', async () => {
    await using cli = await scriptedCli([]);
    placeAgents(cli.box);
    for (const options of [
      { agent: 'OURS', settingSources: ['project'] },
      { agent: 'ours', settingSources: [] },
    ]) {
      const { error } = await collect(query({ prompt: 'Go.', options: cli.options(options as Options) }));
      expect(error).toMatchObject({ code: 'AGENT_NOT_FOUND', value: options.agent });
    }
    expect(cli.api.requests).toEqual([]);
  });

  it('is an error of startup(), which leaves no process behind', async () => {
    await using cli = await scriptedCli([]);
    const pids: number[] = [];
    const options = cli.options({
      agent: 'our',
      stderr: () => {},
      onFrame: (frame) => {
        const { response } = frame as { response?: { response?: { pid?: number } } };
        if (response?.response?.pid !== undefined) pids.push(response.response.pid);
      },
    });
    await expect(startup({ options })).rejects.toEqual(unknown);
    expect(pids).toHaveLength(1);
    await waitUntil(() => !pids.some(alive), { what: 'the end of the CLI' });
  });
});

it('the prompt does not wait for ever for an agent that does not answer', async () => {
  using limit = holdTimers(LIMITS.initializeMs);
  const [here, there] = memoryTransportPair();
  const heard: string[] = [];
  there.start({
    frame: ({ type }) => {
      heard.push(type);
      if (type !== 'user') return;
      there.send({ type: 'result', subtype: 'success', is_error: false, result: 'Hello.', session_id: 'x' });
      there.endInput();
    },
    noise: () => {},
    dropped: () => {},
    stderr: () => {},
    end: () => {},
  });
  const conversation = query({ prompt: 'Go.', options: { agent: 'ours', transport: () => here } });
  await waitUntil(() => heard.length > 0 && limit.count > 0, { what: 'the request' });
  expect(heard).toEqual(['control_request']);
  limit.expire();
  const { messages } = await collect(conversation);
  expect(heard).toContain('user');
  expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Hello.' });
});

it('a CLI that does not list its agents is believed', async () => {
  const pathToClaudeCodeExecutable = fileURLToPath(
    new URL('../fixtures/cli/well-behaved.mjs', import.meta.url),
  );
  const { messages, error } = await collect(
    query({ prompt: 'Go.', options: { agent: 'ours', pathToClaudeCodeExecutable } }),
  );
  expect(error).toBeUndefined();
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
});
