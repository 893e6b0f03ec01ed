/** R25–R28: servers from files and from options, on both back ends. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  createSdkMcpServer,
  McpConfigError,
  query,
  type SDKUserMessage,
  serveHttp,
  tool,
} from '../../src/index.js';
import { toolUse } from '../../src/testing/index.js';
import { ask, BACK_ENDS, resultsOf, serversOf } from '../support/back-ends.js';
import { collect, type Sandbox } from '../support/real-cli.js';

const program = fileURLToPath(new URL('../fixtures/mcp/by-hand.mjs', import.meta.url));
const stdio = (env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [program],
  env,
  alwaysLoad: true,
});

function put(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

/** A repository with a server in every place, each of which says where it stands; `same` stands in all of them. */
function furnish(box: Sandbox): string {
  const cwd = join(box.cwd, 'packages', 'one');
  mkdirSync(cwd, { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd: box.cwd });
  const servers = (place: string) => ({
    mcpServers: { [place]: stdio({ WHERE: place }), same: stdio({ WHERE: place }) },
  });
  put(join(cwd, '.claude', 'mcp.local.json'), servers('local'));
  put(join(box.cwd, '.claude', 'mcp.json'), servers('shared'));
  put(join(box.cwd, '.mcp.json'), servers('project'));
  put(join(box.configDir, 'mcp.json'), servers('user'));
  put(join(box.configDir, '.claude.json'), servers('cli'));
  return cwd;
}

const where = (server: string) => toolUse(`mcp__${server}__env`, { name: 'WHERE' });
const allowedTools = ['options', 'local', 'shared', 'project', 'user', 'cli', 'same'].map(
  (name) => `mcp__${name}`,
);

describe.each(BACK_ENDS)('with $name', ({ start, isCli }) => {
  it('servers of all places are there, each once, with its source, and the first place wins (R26)', async () => {
    await using agent = await start([where('same'), where('project'), where('cli'), 'Done.']);
    const cwd = furnish(agent.box);
    const options = agent.options({ cwd, allowedTools, mcpServers: { options: stdio() } });
    const running = query({ prompt: 'Go.', options: { ...options, mcpReady: true } });
    const { ready } = await running.mcpReady();
    const rows = await running.mcpServerStatus();
    const { messages } = await collect(running);
    expect(ready).toBe(true);
    expect(resultsOf(messages)).toEqual(['local', 'project', 'cli']);
    expect(Object.fromEntries(rows.map(({ name, source }) => [name, source]))).toEqual({
      options: 'dynamic',
      local: 'local',
      shared: 'project',
      project: 'project',
      user: 'user',
      cli: 'user',
      same: 'local',
    });
    expect(rows).toHaveLength(7);
  });

  it('`settingSources` decides which files are read, `strictMcpConfig` reads none', async () => {
    await using agent = await start(['One.', 'Two.', 'Three.']);
    const cwd = furnish(agent.box);
    const names = async (more: object) =>
      serversOf((await ask(agent.options({ cwd, ...more }))).messages)
        .map(({ name }) => name)
        .sort();
    expect(await names({ settingSources: ['project'] })).toEqual(['project', 'same', 'shared']);
    expect(await names({ settingSources: [] })).toEqual([]);
    expect(await names({ strictMcpConfig: true, mcpServers: { options: stdio() } })).toEqual(['options']);
  });

  it('a missing variable leaves the server out with a reason, and with `strictMcpConfig` nothing starts (R27, R28)', async () => {
    await using agent = await start([where('options'), 'Done.']);
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: that is what is tested
    const mcpServers = {
      options: stdio({ WHERE: '${PLANET:-earth} and ${MOON}' }),
      bad: { command: 'x', args: ['${NOT_SET_ANYWHERE}'] },
    };
    put(join(agent.box.cwd, '.claude', 'mcp.json'), { mcpServers: { worse: { command: '${NEITHER}' } } });
    const worst = { ...stdio({ WHERE: '${NOR_THIS}' }) };
    put(join(agent.box.cwd, '.mcp.json'), { mcpServers: { worst, empty: {} } });
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: that is what is tested
    const warnings: string[] = [];
    const options = agent.options({
      mcpServers,
      allowedTools,
      env: { MOON: 'moon' },
      stderr: (text) => warnings.push(text),
    });
    expect(() => query({ prompt: 'Go.', options: { ...options, strictMcpConfig: true } })).toThrow(
      McpConfigError,
    );
    let go = (): void => {};
    const asked = new Promise<void>((resolve) => {
      go = resolve;
    });
    const running = query({ prompt: promptAfter(asked), options });
    // Before the prompt: with its result the agent may be gone, and with it whom to ask.
    const { failed } = await running.mcpReady();
    go();
    expect(resultsOf((await collect(running)).messages)).toEqual(['earth and moon']);
    expect(failed.map(({ name, error }) => [name, error]).sort()).toEqual([
      [
        'bad',
        expect.stringContaining(
          'options.mcpServers: the server "bad": `args[0]` needs the variable NOT_SET_ANYWHERE',
        ),
      ],
      ['empty', expect.stringContaining('.mcp.json:1: the server "empty": `command` is missing')],
      [
        'worse',
        expect.stringContaining('mcp.json:1: the server "worse": `command` needs the variable NEITHER'),
      ],
      [
        'worst',
        expect.stringContaining('.mcp.json:1: the server "worst": `env.WHERE` needs the variable NOR_THIS'),
      ],
    ]);
    expect(warnings.join('')).toContain('NOT_SET_ANYWHERE');
    expect(warnings.join('')).toContain('NEITHER');
    expect(warnings.join('')).toContain('NOR_THIS');
  });

  it('a server in the process and one of the same name in a file are not merged: the options win (R32)', async () => {
    await using agent = await start([toolUse('mcp__same__who'), 'Done.']);
    put(join(agent.box.cwd, '.mcp.json'), { mcpServers: { same: stdio() } });
    const who = tool('who', 'Says who', {}, () => 'me');
    const same = createSdkMcpServer({ name: 'same', alwaysLoad: true, tools: [who] });
    const { messages } = await ask(agent.options({ mcpServers: { same }, allowedTools }));
    expect(resultsOf(messages)).toEqual(['me']);
    expect(agent.offered()[0]?.filter((name) => name.startsWith('mcp__'))).toEqual(['mcp__same__who']);
    expect(serversOf(messages)).toMatchObject([{ name: 'same', status: 'connected' }]);
  });

  it('stdio, HTTP and in-process servers work together in one prompt (R25, R40)', async () => {
    const say = (place: string) => [tool('hello', 'Says hello', {}, () => `hello from ${place}`)];
    await using web = await serveHttp(createSdkMcpServer({ name: 'web', tools: say('the web') }));
    await using agent = await start([
      toolUse('mcp__web__hello'),
      toolUse('mcp__here__hello'),
      toolUse('mcp__out__echo', { text: 'hello from outside' }),
      'Done.',
    ]);
    const { messages, error } = await ask(
      agent.options({
        mcpServers: {
          out: stdio(),
          web: { type: 'http', url: web.url, alwaysLoad: true },
          here: createSdkMcpServer({ name: 'here', tools: say('here'), alwaysLoad: true }),
        },
        allowedTools: ['mcp__out', 'mcp__web', 'mcp__here'],
        settingSources: [],
      }),
    );
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toEqual(['hello from the web', 'hello from here', 'hello from outside']);
    expect(agent.offered()[0]).toEqual(
      expect.arrayContaining(['mcp__web__hello', 'mcp__here__hello', 'mcp__out__echo']),
    );
    expect(isCli || agent.offered()[0]?.length).toBeTruthy();
  });
});

async function* promptAfter(moment: Promise<void>): AsyncGenerator<SDKUserMessage, void> {
  await moment;
  yield {
    type: 'user',
    message: { role: 'user', content: 'Go.' },
    parent_tool_use_id: null,
    session_id: '',
  };
}
