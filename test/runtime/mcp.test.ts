/** MCP servers of the embedded runtime: those in the process, and those outside. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { createSdkMcpServer, tool } from '../../src/index.js';
import { call, type Loose, run, said, server, talk, toolResults } from './support.js';

const fixture = fileURLToPath(new URL('../fixtures/mcp/server.mjs', import.meta.url));
const stdio = { command: process.execPath, args: [fixture, 'stdio'] };
const ANY = { type: 'object' as const, properties: {}, additionalProperties: true };
const names = (request: { tools: readonly { name: string }[] } | undefined) =>
  request?.tools.map(({ name }) => name);

describe('a server in the process', () => {
  it('that adds a tool in the middle of a turn has it in the very next request', async () => {
    const s = createSdkMcpServer({
      name: 's',
      tools: [
        tool('grow', 'Grows', ANY, () => {
          s.instance.addTool(tool('new', 'A new one', ANY, () => 'N'));
          return 'grown';
        }),
      ],
    });
    const { model } = await run([{ toolUses: [call('grow')] }, { toolUses: [call('new')] }, 'Done.'], {
      mcpServers: { s },
      allowedTools: ['mcp__s'],
    });
    expect(names(model.requests[0])).toEqual(['mcp__s__grow']);
    expect(names(model.requests[1])).toEqual(['mcp__s__grow', 'mcp__s__new']);
    expect(toolResults(model.requests[2])[1]).toMatchObject({ text: 'N', isError: false });
  });

  it('that takes its time to list its tools again is waited for', async () => {
    const { model } = await run([{ toolUses: [call('grow')] }, 'Done.'], {
      mcpServers: { s: { type: 'sdk', name: 's', instance: slowLister() as never } },
      allowedTools: ['mcp__s'],
    });
    expect(model.requests.map(names)).toEqual([['mcp__s__grow'], ['mcp__s__grow', 'mcp__s__new']]);
  });

  it('reports progress of a call as tool_progress', async () => {
    const s = createSdkMcpServer({
      name: 's',
      tools: [
        tool('slow', 'Slow', ANY, (_, context) => {
          context.reportProgress(1, 2, 'half');
          return 'S';
        }),
      ],
    });
    const { messages } = await run([{ toolUses: [call('slow')] }, 'Done.'], {
      mcpServers: { s },
      allowedTools: ['mcp__s'],
    });
    expect(messages.filter(({ type }) => type === 'tool_progress')).toMatchObject([
      { tool_name: 'mcp__s__slow', parent_tool_use_id: 'toolu_0001', progress: 1, total: 2, message: 'half' },
    ]);
  });

  it('has its instructions in the system prompt', async () => {
    const { model } = await run(['Hello.'], {
      mcpServers: { s: server({ a: () => 'A' }, { instructions: 'Ask twice.' }) },
    });
    expect(JSON.stringify(model.requests[0]?.system)).toContain('Ask twice.');
  });

  it('can be switched off and on, connected again, replaced, and its state is told', async () => {
    const { session, model } = talk(() => 'Hello.', { mcpServers: { s: server({ a: () => 'A' }) } });
    const { query } = session;
    await session.ask('One');
    expect(await query.mcpServerStatus()).toMatchObject([
      { name: 's', status: 'connected', transport: 'sdk', source: 'sdk', tools: [{ name: 'a' }] },
    ]);
    await query.toggleMcpServer('s', false);
    expect(await query.mcpServerStatus()).toMatchObject([{ name: 's', status: 'disabled' }]);
    await session.ask('Two');
    await query.toggleMcpServer('s', true);
    await query.reconnectMcpServer('s');
    await session.ask('Three');
    const t = server({ b: () => 'B' });
    expect(await query.setMcpServers({ t })).toMatchObject({ added: ['t'], removed: ['s'], errors: {} });
    expect(await query.setMcpServers({ s: server({ a: () => 'A' }), t })).toMatchObject({ removed: [] });
    expect(await query.setMcpServers({ t })).toMatchObject({ added: [], removed: ['s'], errors: {} });
    await session.ask('Four');
    expect(model.requests.map(names)).toEqual([['mcp__s__a'], [], ['mcp__s__a'], ['mcp__t__b']]);
    await expect(query.reconnectMcpServer('nope')).rejects.toThrow('Server not found: nope');
    await session.close();
  });

  it('with resources brings tools that list and read them', async () => {
    const s = createSdkMcpServer({
      name: 's',
      resources: [{ uri: 'note://1', name: 'note', read: () => 'Buy milk.' }] as never,
    });
    const { model } = await run(
      [
        { toolUses: [{ name: 'ListMcpResourcesTool' }] },
        { toolUses: [{ name: 'ReadMcpResourceTool', input: { server: 's', uri: 'note://1' } }] },
        { toolUses: [{ name: 'ReadMcpResourceTool', input: { server: 's', uri: 'note://2' } }] },
        'Done.',
      ],
      { mcpServers: { s } },
    );
    const [list, read, missing] = toolResults(model.requests[3]);
    expect(list?.text).toContain('note://1');
    expect(read).toMatchObject({ isError: false, text: expect.stringContaining('Buy milk.') });
    expect(missing).toMatchObject({ isError: false, text: expect.stringContaining('no resource note://2') });
  });

  it('with resources that are no text shows images to the model, and says of others that they are there', async () => {
    const s = createSdkMcpServer({
      name: 's',
      resources: [
        { uri: 'pic://1', name: 'pic', mimeType: 'image/png', read: () => new Uint8Array([1, 2, 3]) },
        {
          uri: 'zip://1',
          name: 'zip',
          mimeType: 'application/zip',
          read: () => new Uint8Array([1, 2, 3, 4]),
        },
      ] as never,
    });
    const read = (uri: string) => ({
      toolUses: [{ name: 'ReadMcpResourceTool', input: { server: 's', uri } }],
    });
    const { model, messages } = await run([read('pic://1'), read('zip://1'), 'Done.'], { mcpServers: { s } });
    const request = JSON.stringify(model.requests[2]?.body.messages);
    expect(request).toContain(
      '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQID"}}',
    );
    expect(request).toContain('[4 bytes that are no text]');
    expect(request).not.toContain('AQIDBA');
    expect(JSON.stringify(messages)).toContain('"blob":"AQIDBA=="');
  });

  it('with resources and prompts is asked by the host, too, and can be called without a model', async () => {
    const s = createSdkMcpServer({
      name: 's',
      tools: [tool('count', 'Counts its arguments', ANY, (args) => Object.keys(args).length)],
      resources: [{ uri: 'note://1', name: 'note', read: () => 'Buy milk.' }] as never,
      prompts: [{ name: 'greet', arguments: [{ name: 'who' }], get: ({ who }) => `Hello, ${who}.` }],
    });
    const { session } = talk(['Hello.'], { mcpServers: { s, t: server({ a: () => 'A' }) } });
    const { query } = session;
    await session.ask('Go.');
    const ask = query.controlRequest.bind(query);
    expect(await ask('mcp_list_resources', {})).toEqual({
      resources: [{ uri: 'note://1', name: 'note', server: 's' }],
      resourceTemplates: [],
      errors: {},
    });
    expect(await ask('mcp_read_resource', { serverName: 's', uri: 'note://1' })).toMatchObject({
      contents: [{ text: 'Buy milk.' }],
    });
    expect(await ask('mcp_list_prompts', { serverName: 's' })).toMatchObject({
      prompts: [{ name: 'greet', server: 's' }],
    });
    const named = { serverName: 's', name: 'greet', arguments: { who: 'Ada' } };
    expect(JSON.stringify(await ask('mcp_get_prompt', named))).toContain('Hello, Ada.');
    expect(await ask('mcp_call', { tool: 'mcp__s__count', arguments: { a: 1, b: 2 } })).toMatchObject({
      content: [{ text: '2' }],
    });
    await expect(ask('mcp_call', { tool: 'mcp__s__nope' })).rejects.toThrow('has the tool mcp__s__nope');
    await expect(ask('mcp_list_resources', { serverName: 'nope' })).rejects.toThrow('Server not found: nope');
    await session.close();
  });

  it('with prompts brings tools that list and get them', async () => {
    const s = createSdkMcpServer({
      name: 's',
      prompts: [{ name: 'greet', arguments: [{ name: 'who' }], get: ({ who }) => `Hello, ${who}.` }],
    });
    const { model } = await run(
      [
        { toolUses: [{ name: 'ListMcpPrompts' }] },
        {
          toolUses: [
            { name: 'GetMcpPrompt', input: { server: 's', name: 'greet', arguments: { who: 'Ada' } } },
          ],
        },
        'Done.',
      ],
      { mcpServers: { s } },
    );
    const [list, prompt] = toolResults(model.requests[2]);
    expect(list?.text).toContain('greet');
    expect(prompt).toMatchObject({ isError: false, text: expect.stringContaining('Hello, Ada.') });
  });
});

describe('many tools', () => {
  const many = () => {
    const tools = Array.from({ length: 60 }, (_, index) =>
      tool(`t${index}`, `Number ${index}`, ANY, () => `T${index}`),
    );
    const pinned = tool('pinned', 'Always there', ANY, () => 'P', { alwaysLoad: true });
    return createSdkMcpServer({ name: 's', tools: [...tools, pinned] });
  };

  it('stay out of the request until they are searched for, but for those that always load (pain 37)', async () => {
    const { model, messages } = await run(
      [
        { toolUses: [{ name: 'ToolSearch', input: { query: 'select:mcp__s__t7,mcp__s__t8' } }] },
        { toolUses: [call('t7')] },
        'Done.',
      ],
      { mcpServers: { s: many() }, allowedTools: ['mcp__s'] },
    );
    expect(names(model.requests[0])).toEqual(['ToolSearch', 'mcp__s__pinned']);
    expect(names(model.requests[1])).toEqual(['ToolSearch', 'mcp__s__pinned', 'mcp__s__t7', 'mcp__s__t8']);
    expect(toolResults(model.requests[2])[1]?.text).toBe('T7');
    expect((messages[0] as Loose & { tools: string[] }).tools).toHaveLength(61);
  });

  it('can be found by words, and called by name without a search', async () => {
    const { model } = await run(
      [
        { toolUses: [{ name: 'ToolSearch', input: { query: 'number 33' } }] },
        { toolUses: [call('t5')] },
        'Done.',
      ],
      { mcpServers: { s: many() }, allowedTools: ['mcp__s'] },
    );
    expect(names(model.requests[1])).toContain('mcp__s__t33');
    expect(toolResults(model.requests[2])[1]?.text).toBe('T5');
  });
});

describe('a server outside', () => {
  it('over stdio has its tools called, and is gone with the conversation', async () => {
    const { model, result } = await run(
      [{ toolUses: [{ name: 'mcp__out__echo', input: { text: 'hi' } }] }, 'Done.'],
      { mcpServers: { out: stdio }, allowedTools: ['mcp__out'] },
    );
    expect(toolResults(model.requests[1])).toMatchObject([{ text: 'echo: hi', isError: false }]);
    expect(result).toMatchObject({ result: 'Done.' });
  });

  it('that cannot be started does not stop the conversation', async () => {
    const { messages, result } = await run(['Hello.'], {
      mcpServers: { bad: { command: '/no/such/program' }, s: server({ a: () => 'A' }) },
    });
    expect(messages[0]).toMatchObject({
      mcp_servers: expect.arrayContaining([
        expect.objectContaining({ name: 'bad', status: 'failed' }),
        expect.objectContaining({ name: 's', status: 'connected' }),
      ]),
    });
    expect(result).toMatchObject({ result: 'Hello.' });
  });

  it('that dies and must not be started again is failed, and its tools are gone', async () => {
    const dying = `
      const answers = { initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'd', version: '1' } },
        'tools/list': { tools: [{ name: 'die', inputSchema: { type: 'object' } }] } };
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (method === 'tools/call') process.exit(1);
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} }));
      });`;
    const options = {
      mcpServers: { d: { command: process.execPath, args: ['-e', dying] } },
      allowedTools: ['mcp__d'],
    };
    const { session, model } = talk([{ toolUses: [{ name: 'mcp__d__die' }] }, 'It died.', 'Bye.'], options, {
      mcpReconnect: { attempts: 0 },
    });
    expect(await session.ask('Go.')).toMatchObject({ result: 'It died.' });
    expect(toolResults(model.requests[1])[0]?.isError).toBe(true);
    expect(await session.query.mcpServerStatus()).toMatchObject([{ name: 'd', status: 'failed' }]);
    await session.ask('And now?');
    expect(names(model.requests[2])).toEqual([]);
    await session.close();
  });

  it('that is taken away while it connects is not left running', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenon-mute-'));
    const file = join(folder, 'pid');
    const mute = `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000);`;
    const out = { command: process.execPath, args: ['-e', mute] };
    const { session } = talk([], { mcpServers: { out } });
    try {
      const pid = await vi.waitFor(async () => Number(await readFile(file, 'utf8')) || Promise.reject());
      expect(await session.query.mcpServerStatus()).toMatchObject([{ name: 'out', status: 'pending' }]);
      await session.query.setMcpServers({ out });
      expect(await session.query.setMcpServers({})).toMatchObject({ removed: ['out'] });
      expect(await session.query.mcpServerStatus()).toEqual([]);
      await session.close();
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
    } finally {
      await session.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the beginning of a request', () => {
  it('is the same over twenty turns, byte for byte, whatever servers do in between (pain 38)', async () => {
    const { session, model } = talk(() => 'Hello.', {
      systemPrompt: 'Be kind.',
      mcpServers: {
        s: server({ b: () => 'B', a: () => 'A' }, { instructions: 'Ask twice.' }),
        r: server({ z: () => 'Z' }, { instructions: 'Ask once.' }),
      },
    });
    for (let turn = 0; turn < 20; turn += 1) {
      await session.ask(`Turn ${turn}`);
      if (turn === 9) await session.query.reconnectMcpServer('r');
    }
    const beginnings = new Set(model.requests.map(({ system, tools }) => JSON.stringify({ system, tools })));
    expect(model.requests).toHaveLength(20);
    expect(beginnings.size).toBe(1);
    expect([...beginnings][0]).toContain('"cache_control":{"type":"ephemeral"}');
    // And what was said stays as it was: each request is the one before it and more.
    const withoutMarks = (request: (typeof model.requests)[number] | undefined) =>
      (JSON.parse(said(request as never)) as { content: unknown }[]).map((message) =>
        JSON.stringify(message).replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
      );
    const last = withoutMarks(model.requests[19]);
    expect(last.slice(0, 37)).toEqual(withoutMarks(model.requests[18]));
  });
});

it('a request that the runtime does not know is refused by name', async () => {
  const { session } = talk(['Hello.']);
  await expect(session.query.controlRequest('set_color', { color: 'red' })).rejects.toThrow(
    'Unsupported control request subtype: set_color',
  );
  await session.close();
});

interface Message {
  id?: number;
  method?: string;
}

/** A server of another library: says that its tools have changed, answers the call, and lists the tools only then. */
function slowLister() {
  let lists = 0;
  const listed = (name: string) => ({ name, inputSchema: { type: 'object' } });
  const resultOf = async (method: string | undefined) => {
    if (method === 'tools/call') return { content: [{ type: 'text', text: 'grown' }] };
    if (method === 'tools/list') {
      lists += 1;
      if (lists === 1) return { tools: [listed('grow')] };
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { tools: [listed('grow'), listed('new')] };
    }
    const serverInfo = { name: 's', version: '1' };
    return { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo };
  };
  return {
    connect: async (transport: {
      start(): Promise<void>;
      send(message: object): Promise<void>;
      onmessage?: (message: Message) => void;
    }) => {
      transport.onmessage = async ({ id, method }) => {
        if (id === undefined) return;
        if (method === 'tools/call') {
          await transport.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        }
        await transport.send({ jsonrpc: '2.0', id, result: await resultOf(method) });
      };
      await transport.start();
    },
    close: async () => {},
  };
}
