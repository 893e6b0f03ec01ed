/** Every method about MCP servers, on both back ends (R29–R31; pain 11; wishes 7, 8). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListResourcesRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import {
  createSdkMcpServer,
  createSession,
  type McpStatusChange,
  OptionError,
  query,
  serveHttp,
  TenonError,
  tool,
} from '../../src/index.js';
import { toolUse } from '../../src/testing/index.js';
import { BACK_ENDS, resultsOf } from '../support/back-ends.js';
import { type ByHandServer, byHandServer } from '../support/by-hand-server.js';
import { PATIENCE_MS } from '../support/patience.js';
import { collect, waitUntil } from '../support/real-cli.js';

const program = fileURLToPath(new URL('../fixtures/mcp/by-hand.mjs', import.meta.url));
const outside = (...args: string[]) => ({
  command: process.execPath,
  args: [program, ...args],
  alwaysLoad: true,
});

/** Ends a server as soon as it has started. */
async function end(server: ByHandServer): Promise<void> {
  await waitUntil(() => server.events('start').length > 0, { what: 'the start of the server' });
  process.kill(Number(server.events('start')[0]), 'SIGKILL');
}

const calc = () =>
  createSdkMcpServer({
    name: 'calc',
    alwaysLoad: true,
    tools: [tool('add', 'Adds', {}, () => 'three')],
    resources: [{ uri: 'note://1', name: 'note', read: () => 'Buy milk.' }],
    prompts: [
      {
        name: 'greet',
        arguments: [{ name: 'who' }],
        get: ({ who }) => `Hello ${who}`,
      },
    ],
  });

describe.each(BACK_ENDS)('with $name', ({ start, isCli }) => {
  it('the state of each server can be read, awaited and watched; failed ones do not hold up the rest (R29, R30, wish 8)', async () => {
    await using agent = await start(['Hello.']);
    const heard: McpStatusChange[] = [];
    await using session = createSession(
      agent.options({
        mcpServers: { calc: calc(), out: outside(), bad: { command: '/no/such/program' } },
        settingSources: [],
        onMcpStatus: (change) => heard.push(change),
      }),
    );
    const running = session.query;
    const watched: string[] = [];
    const watching = (async () => {
      for await (const { name, status } of running.mcpStatusChanges()) watched.push(`${name} ${status}`);
    })();
    const readiness = await running.mcpReady();
    expect(readiness).toMatchObject({ ready: false, disabled: [], pending: [] });
    expect(readiness.connected.sort()).toEqual(['calc', 'out']);
    expect(readiness.failed).toMatchObject([{ name: 'bad', status: 'failed', error: expect.any(String) }]);
    const rows = new Map((await running.mcpServerStatus()).map((row) => [row.name, row]));
    expect(rows.get('calc')).toMatchObject({
      status: 'connected',
      transport: 'sdk',
      source: 'sdk',
      tools: [{ name: 'add' }],
    });
    expect(rows.get('out')).toMatchObject({
      status: 'connected',
      transport: 'stdio',
      source: 'dynamic',
      serverInfo: { name: 'by hand', version: '1.0.0' },
      since: expect.stringMatching(/^\d{4}-/),
      attempts: expect.any(Number),
    });
    await expect(running.mcpReady({ servers: ['nobody'] })).rejects.toThrow(OptionError);
    await expect(running.mcpReady({ servers: ['nobody'] })).rejects.toThrow('There are: ');

    await running.toggleMcpServer('out', false);
    expect(await running.mcpReady({ servers: ['out'] })).toMatchObject({ ready: true, disabled: ['out'] });
    await running.toggleMcpServer('out', true);
    expect(await running.mcpReady({ servers: ['out'] })).toMatchObject({ connected: ['out'] });
    await running.reconnectMcpServer('out');
    const settings = join(agent.box.configDir, '.claude.json');
    const written = () =>
      existsSync(settings) ? JSON.parse(readFileSync(settings, 'utf8')).projects : undefined;
    const before = written();
    await running.reconnectMcpServer('calc');
    expect(written()).toEqual(before);
    expect((await running.mcpServerStatus()).find(({ name }) => name === 'calc')).toMatchObject({
      status: 'connected',
    });
    expect(await running.mcpReady({ servers: ['out', 'calc'] })).toMatchObject({ ready: true });
    await waitUntil(() => watched.includes('bad failed'), { what: 'the news that one has failed' });
    await running.close();
    await watching;
    expect(watched).toEqual(expect.arrayContaining(['calc connected', 'out connected', 'out disabled']));
    expect(heard.map(({ name, status }) => `${name} ${status}`)).toEqual(
      expect.arrayContaining(['out disabled']),
    );
  });

  // The CLI says `connected` of a dead stdio server until it is next used, and then starts it again.
  it.runIf(!isCli)('a server that dies is news, without anybody asking (R30)', async () => {
    await using agent = await start([]);
    using server = byHandServer();
    const heard: string[] = [];
    await using session = createSession(
      agent.options({
        mcpServers: { out: server.config },
        settingSources: [],
        onMcpStatus: ({ previous, status }) => heard.push(`${previous} → ${status}`),
      }),
    );
    expect(await session.query.mcpReady()).toMatchObject({ ready: true });
    process.kill(Number(server.events('start')[0]), 'SIGKILL');
    await waitUntil(() => heard.some((change) => change.startsWith('connected → ')), {
      what: 'the news of its death',
    });
  });

  it('the first prompt can wait for slow servers, but not longer than it was told (pain 11)', async () => {
    await using agent = await start(['Hello.']);
    using mute = byHandServer('silent');
    const states: string[] = [];
    let ended: Promise<void> | undefined;
    const { messages } = await collect(
      query({
        prompt: 'Go.',
        options: agent.options({
          mcpServers: { out: outside(), mute: { ...mute.config, alwaysLoad: true } },
          settingSources: [],
          env: { MCP_TIMEOUT: String(PATIENCE_MS) },
          mcpReady: { servers: ['out'], timeout: PATIENCE_MS },
          onMcpStatus: ({ name, status }) => {
            states.push(`${name} ${status}`);
            // The agent itself waits for the silent one at the beginning of the turn: that is not what this is about.
            if (name === 'out' && status === 'connected') ended = end(mute);
          },
        }),
      }),
    );
    await ended;
    expect(states).toContain('out connected');
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
    expect(agent.offered()[0]).toContain('mcp__out__echo');
  });

  it('`mcpReady()` says what is still connecting when its time is over', async () => {
    await using agent = await start([]);
    await using session = createSession(
      agent.options({ mcpServers: { mute: outside('silent') }, settingSources: [], closeGraceMs: 0 }),
    );
    expect(await session.query.mcpReady({ timeout: 300 })).toMatchObject({ ready: false, pending: ['mute'] });
  });

  it('setMcpServers() replaces in-process servers, also those of the options; others stay, and rules are kept (R30, pain 32)', async () => {
    await using agent = await start([
      'One.',
      toolUse('mcp__calc__add'),
      toolUse('mcp__two__mul'),
      'Two.',
      toolUse('mcp__calc__add'),
      'Three.',
    ]);
    await using session = createSession(
      agent.options({
        mcpServers: { calc: calc(), out: outside() },
        allowedTools: ['mcp__calc', 'mcp__two'],
        settingSources: [],
      }),
    );
    const running = session.query;
    await session.ask('One');
    const two = createSdkMcpServer({
      name: 'two',
      alwaysLoad: true,
      tools: [tool('mul', 'Multiplies', {}, () => 'six')],
    });
    const rules = { ...two, tools: [{ name: 'mul', permission_policy: 'always_deny' as const }] };
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what is tested
    const bad = { command: '${NOT_SET_ANYWHERE}' };
    const ours = calc();
    expect(await running.setMcpServers({ calc: ours, two: rules, bad })).toMatchObject({
      added: ['two'],
      removed: [],
      errors: { bad: expect.stringContaining('NOT_SET_ANYWHERE') },
    });
    expect((await running.mcpReady()).connected.sort()).toEqual(['calc', 'out', 'two']);
    session.send('Two');
    const messages = await collect(session.stream());
    const [first, second] = resultsOf(messages.messages);
    expect(first).toBe('three');
    expect(second).not.toBe('six');
    expect(await running.setMcpServers({ calc: ours })).toMatchObject({ added: [], removed: ['two'] });
    expect((await running.mcpReady()).connected.sort()).toEqual(['calc', 'out']);
    // A program that takes a tool away has taken it away.
    expect(await running.setMcpServers({})).toMatchObject({ removed: ['calc'] });
    expect((await running.mcpReady()).connected).toEqual(['out']);
    await running.reinitialize();
    expect((await running.mcpReady()).connected).toEqual(['out']);
    session.send('Three');
    expect(resultsOf((await collect(session.stream())).messages)).not.toContain('three');
    expect(agent.offered().at(-1)).not.toContain('mcp__calc__add');
  });

  it('a tool can add a server while it runs, and the next request of the same turn has its tools (wish 7)', async () => {
    await using agent = await start([toolUse('mcp__door__open'), toolUse('mcp__room__look'), 'Done.']);
    const room = createSdkMcpServer({
      name: 'room',
      alwaysLoad: true,
      tools: [tool('look', 'Looks', {}, () => 'a table')],
    });
    const open = tool('open', 'Opens the door', {}, async () => {
      await running.setMcpServers({ door, room });
      const { connected } = await running.mcpReady({ servers: ['room'] });
      return `now there is ${connected.join()}`;
    });
    const door = createSdkMcpServer({ name: 'door', alwaysLoad: true, tools: [open] });
    const running = query({
      prompt: 'Go.',
      options: agent.options({
        mcpServers: { door },
        allowedTools: ['mcp__door', 'mcp__room'],
        settingSources: [],
      }),
    });
    const { messages } = await collect(running);
    expect(resultsOf(messages)).toEqual(['now there is room', 'a table']);
    expect(agent.offered().map((names) => names.includes('mcp__room__look'))).toEqual([false, true, true]);
  });

  it('a tool that takes its own server away is cut off, and the turn goes on (R16, R30)', async () => {
    await using agent = await start([toolUse('mcp__door__close'), 'Done.']);
    let isCutOff = false;
    const close = tool('close', 'Closes the door', {}, async (_, { signal }) => {
      signal.addEventListener('abort', () => {
        isCutOff = true;
      });
      await running.setMcpServers({});
      return 'closed';
    });
    const running = query({
      prompt: 'Go.',
      options: agent.options({
        mcpServers: { door: createSdkMcpServer({ name: 'door', alwaysLoad: true, tools: [close] }) },
        allowedTools: ['mcp__door'],
        settingSources: [],
      }),
    });
    const { messages, error } = await collect(running);
    expect(error).toBeUndefined();
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Done.' });
    expect(isCutOff).toBe(true);
    expect(agent.offered().map((names) => names.includes('mcp__door__close'))).toEqual([true, false]);
  });

  it('resources and prompts of in-process servers can be listed and read (R31)', async () => {
    await using agent = await start([]);
    await using session = createSession(
      agent.options({
        mcpServers: { calc: calc(), plain: createSdkMcpServer({ name: 'plain' }) },
        settingSources: [],
      }),
    );
    const running = session.query;
    const resources = [{ server: 'calc', uri: 'note://1', name: 'note' }];
    expect(await running.listMcpResources('calc')).toMatchObject({ resources, errors: {} });
    expect(await running.listMcpResources()).toMatchObject({ resources, errors: {} });
    expect(await running.readMcpResource('calc', 'note://1')).toMatchObject({
      contents: [{ uri: 'note://1', text: 'Buy milk.' }],
    });
    await expect(running.readMcpResource('calc', 'note://2')).rejects.toMatchObject({
      code: 'SERVER_FAILED',
    });
    expect(await running.listMcpPrompts()).toMatchObject({ prompts: [{ server: 'calc', name: 'greet' }] });
    expect(await running.getMcpPrompt('calc', 'greet', { who: 'Ada' })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello Ada' } }],
    });
  });

  it.runIf(!isCli)('a server whose pages go in a circle is an error, not a list without an end', async () => {
    const server = new Server({ name: 'round', version: '1' }, { capabilities: { resources: {} } });
    let pages = 0;
    server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => {
      pages += 1;
      // It ends in the end, so that this test does too.
      const next = pages < 50 ? { nextCursor: params?.cursor === 'a' ? 'b' : 'a' } : {};
      return { resources: [], ...next };
    });
    await using agent = await start([]);
    await using session = createSession(
      agent.options({
        mcpServers: { round: { type: 'sdk', name: 'round', instance: server } },
        settingSources: [],
      }),
    );
    await expect(session.query.listMcpResources('round')).rejects.toMatchObject({
      code: 'SERVER_FAILED',
      message: expect.stringMatching(/"round".*resources\/list.*circle/),
    });
    expect(pages).toBe(3);
  });

  it.runIf(!isCli)('those of servers outside can too', async () => {
    await using web = await serveHttp(calc());
    await using agent = await start([]);
    await using session = createSession(
      agent.options({
        mcpServers: { web: { type: 'http', url: web.url }, out: outside() },
        settingSources: [],
      }),
    );
    const running = session.query;
    await running.mcpReady();
    const resources = [{ server: 'web', uri: 'note://1' }];
    expect(await running.listMcpResources('web')).toMatchObject({ resources });
    expect(await running.listMcpResources()).toMatchObject({ resources });
    expect(await running.readMcpResource('web', 'note://1')).toMatchObject({
      contents: [{ text: 'Buy milk.' }],
    });
    expect(await running.listMcpPrompts('web')).toMatchObject({
      prompts: [{ server: 'web', name: 'greet' }],
    });
    expect(await running.getMcpPrompt('web', 'greet', { who: 'Ada' })).toMatchObject({
      messages: [{ content: { text: 'Hello Ada' } }],
    });
    await expect(running.readMcpResource('nobody', 'x:y')).rejects.toThrow('nobody');
  });

  it.runIf(isCli)('those of servers outside cannot, and the error names the way out', async () => {
    await using agent = await start([]);
    await using session = createSession(
      agent.options({ mcpServers: { out: outside() }, settingSources: [] }),
    );
    const running = session.query;
    await running.mcpReady();
    for (const refused of [
      running.listMcpResources('out'),
      running.readMcpResource('out', 'note://1'),
      running.listMcpPrompts('out'),
      running.getMcpPrompt('out', 'greet'),
    ]) {
      const error = await refused.catch((thrown) => thrown);
      expect(error).toBeInstanceOf(TenonError);
      expect(error).toMatchObject({
        code: 'NOT_SUPPORTED',
        message: expect.stringContaining('proxyMcpServer'),
      });
    }
    expect(await running.listMcpResources()).toMatchObject({
      resources: [],
      errors: { out: expect.stringContaining('proxyMcpServer') },
    });
  });
});
