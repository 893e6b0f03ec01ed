/** The real CLI takes what was kept off its command line: secrets (pain 44) and long lists (pain 25). */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createSession, type Options, query } from '../../src/index.js';
import { type ScriptedMessagesApi, scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { cliPath, collect, type Sandbox, sandbox, waitUntil } from '../support/real-cli.js';

const base = (box: Sandbox, api: ScriptedMessagesApi): Options => ({
  pathToClaudeCodeExecutable: cliPath,
  cwd: box.cwd,
  env: box.env(api, { ENABLE_TOOL_SEARCH: '0' }),
});

const server = fileURLToPath(new URL('../fixtures/environment-server.mjs', import.meta.url));
const mcpServers = {
  external: { command: process.execPath, args: [server], env: { TOKEN: 'SECRET-of-the-server' } },
};
const many = Array.from({ length: 500 }, (_, index) => `mcp__nowhere__tool_${index}`);

describe('the environment of a stdio server', () => {
  it.each<[string, (seen: string[][]) => Options]>([
    ['a private file', () => ({})],
    [
      'the environment of a process that the caller starts',
      (seen) => ({
        spawnClaudeCodeProcess: ({ command, args, env, cwd }) => {
          seen.push(args);
          return spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
        },
      }),
    ],
  ])('reaches it through %s', async (_, extra) => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([toolUse('mcp__external__tell'), text('done')]);
    const seen: string[][] = [];
    const options: Options = {
      ...base(box, api),
      mcpServers,
      allowedTools: ['mcp__external'],
      ...extra(seen),
    };
    const { error } = await collect(query({ prompt: 'go', options }));
    expect(error).toBeUndefined();
    expect(api.requests[1]?.toolResults).toMatchObject([
      { content: [{ type: 'text', text: 'TOKEN is SECRET-of-the-server' }] },
    ]);
    expect(JSON.stringify(seen)).not.toContain('SECRET');
    api.assertDone();
  });
});

describe('the secrets of one stdio server', () => {
  const spawned: Options = {
    spawnClaudeCodeProcess: ({ command, args, env, cwd }) =>
      spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] }),
  };

  it.each<[string, Options]>([
    ['the CLI', {}],
    ['a process that the caller starts', spawned],
  ])('are not in the environment of another, with %s', async (_, more) => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([
      toolUse('mcp__one__search'),
      toolUse('mcp__two__search'),
      text('done'),
    ]);
    const serverWith = (token: string) => ({
      command: process.execPath,
      args: [server, '--key', `${token}-as-argument`],
      env: { TOKEN: token },
    });
    const options: Options = {
      ...base(box, api),
      mcpServers: { one: serverWith('SECRET-1'), two: serverWith('SECRET-2') },
      allowedTools: ['mcp__one', 'mcp__two'],
      ...more,
    };
    const { error } = await collect(query({ prompt: 'go', options }));
    expect(error).toBeUndefined();
    for (const number of [1, 2]) {
      const told = { names: ['TOKEN'], args: ['--key', `SECRET-${number}-as-argument`] };
      const [result] = api.requests[number]?.toolResults.slice(-1) ?? [];
      expect(result?.content).toMatchObject([{ type: 'text', text: JSON.stringify(told) }]);
    }
  });
});

describe('a list of tools that is too long for a flag', () => {
  it('still allows what it allows', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([toolUse('mcp__external__tell'), text('done')]);
    const allowedTools = [...many, 'mcp__external__tell'];
    const options: Options = { ...base(box, api), mcpServers, allowedTools };
    const { error } = await collect(query({ prompt: 'go', options }));
    expect(error).toBeUndefined();
    expect(api.requests[1]?.toolResults[0]?.is_error).toBeUndefined();
    api.assertDone();
  });

  it('takes the same tools from the model as the flag does, and goes on doing so when settings change', async () => {
    const removed = ['Bash', 'WebFetch', 'mcp__external'];
    const toolsWith = async (disallowedTools: string[]): Promise<readonly string[]> => {
      await using box = sandbox();
      await using api = await scriptedMessagesApi([text('one'), text('two')]);
      await using session = createSession({ ...base(box, api), mcpServers, disallowedTools });
      await session.ask('one');
      // The CLI reads its settings again. The private file is gone by now; its rules must not be.
      mkdirSync(join(box.cwd, '.claude'), { recursive: true });
      writeFileSync(
        join(box.cwd, '.claude', 'settings.json'),
        JSON.stringify({ permissions: { deny: ['Marker'] } }),
      );
      const rules = async () =>
        (await session.query.controlRequest('list_permission_rules', {})).state.rules.map(({ rule }) => rule);
      await waitUntil(async () => (await rules()).includes('Marker'), { what: 'the new rule' });
      await session.ask('two');
      expect(api.requests[1]?.toolNames).toEqual(api.requests[0]?.toolNames);
      return api.requests[0]!.toolNames;
    };
    const [none, short, long] = [
      await toolsWith([]),
      await toolsWith(removed),
      await toolsWith([...many, ...removed]),
    ];
    expect(none).toEqual(expect.arrayContaining(['Bash', 'WebFetch', 'mcp__external__tell']));
    for (const name of ['Bash', 'WebFetch', 'mcp__external__tell']) expect(short).not.toContain(name);
    expect(long).toEqual(short);
  });
});
