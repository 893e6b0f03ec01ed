/** The runtime's own tools: where they come from, who wins over whom, and how often the list of them is made. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import { tool } from '../../src/index.js';
import type { RuntimeTool, ToolSource, ToolSurroundings } from '../../src/runtime/index.js';
import { call, gate, type Loose, run, server, talk, toolResults } from './support.js';

const use = (name: string, input: Record<string, unknown> = {}) => ({ name, input });

const echo = (more: Partial<RuntimeTool> = {}): RuntimeTool => ({
  name: 'Echo',
  description: 'Says it again',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  run: async ({ input }) => ({ content: `Echo: ${input.text}` }),
  ...more,
});

function libraryServer(name: string): McpServer {
  const made = new McpServer({ name, version: '1.0.0' });
  made.registerTool('which', {}, () => ({ content: [{ type: 'text', text: name }] }));
  return made;
}

const toolsOf = (messages: readonly Loose[]): unknown =>
  messages.find(({ subtype }) => subtype === 'init')?.tools;

const warnings = (messages: readonly Loose[]): unknown[] =>
  messages.filter(({ subtype }) => subtype === 'informational').map(({ content }) => content);

describe('tools of the runtime itself (R49)', () => {
  it('are offered to the model and run, with their words as the result of the call', async () => {
    const { model, messages, result } = await run(
      [{ toolUses: [use('Echo', { text: 'hello' })] }, 'Done.'],
      { allowedTools: ['Echo'] },
      { tools: [echo()] },
    );
    expect(toolsOf(messages)).toEqual(['Echo']);
    expect(model.requests[0]?.tools).toMatchObject([{ name: 'Echo', description: 'Says it again' }]);
    expect(toolResults(model.requests[1])).toMatchObject([{ text: 'Echo: hello', isError: false }]);
    expect(messages.find(({ type }) => type === 'user')?.tool_use_result).toBe('Echo: hello');
    expect(result.result).toBe('Done.');
  });

  it('need a permission unless they say that they do not', async () => {
    const script = [{ toolUses: [use('Echo', { text: 'hello' })] }, 'Done.'];
    const denied = await run(script, {}, { tools: [echo()] });
    expect(denied.result.permission_denials).toMatchObject([{ tool_name: 'Echo' }]);
    const free = await run(script, {}, { tools: [echo({ needsNoPermission: true })] });
    expect(free.result.permission_denials).toEqual([]);
  });

  it('are taken away by a rule that denies them, and by `tools` that does not name them', async () => {
    const quiet = echo({ name: 'Quiet' });
    const denied = await run(['Done.'], { disallowedTools: ['Echo'] }, { tools: [echo(), quiet] });
    expect(toolsOf(denied.messages)).toEqual(['Quiet']);
    const named = await run(['Done.'], { tools: ['Echo'] }, { tools: [echo(), quiet] });
    expect(toolsOf(named.messages)).toEqual(['Echo']);
  });

  it('that fail with blocks tell hooks why in words (R22)', async () => {
    const broken = echo({
      run: async () => ({
        content: [
          { type: 'text', text: 'no paper left' },
          { type: 'image', source: { type: 'url', url: 'https://example.com/tray.png' } },
        ],
        isError: true,
      }),
    });
    const errors: unknown[] = [];
    await run(
      [{ toolUses: [use('Echo')] }, 'Done.'],
      {
        allowedTools: ['Echo'],
        hooks: {
          PostToolUseFailure: [
            { hooks: [async (input) => ({ continue: errors.push('error' in input && input.error) > 0 })] },
          ],
        },
      },
      { tools: [broken] },
    );
    expect(errors).toEqual(['no paper left\n[image]']);
  });

  it('report a failure to the model when they throw', async () => {
    const broken = echo({ run: () => Promise.reject(new Error('no paper left')) });
    const { model } = await run(
      [{ toolUses: [use('Echo')] }, 'Done.'],
      { allowedTools: ['Echo'] },
      { tools: [broken] },
    );
    expect(toolResults(model.requests[1])).toMatchObject([{ text: 'no paper left', isError: true }]);
  });

  it('do not hold up an interrupt when they do not look at their signal', async () => {
    const started = gate();
    const deaf = echo({
      run: () => {
        started.open();
        return new Promise(() => {});
      },
    });
    const { session } = talk(
      [{ toolUses: [use('Echo')] }, 'Next.'],
      { allowedTools: ['Echo'] },
      { tools: [deaf] },
    );
    session.send('One.');
    const reading = (async () => {
      for await (const _ of session.stream());
    })();
    await started.opened;
    await session.query.interrupt();
    await reading;
    expect((await session.ask('Two.')) as unknown).toMatchObject({ result: 'Next.' });
    await session.close();
  });

  it.each([
    [
      { name: 'no good' },
      'tools[0]: the name "no good" cannot be used. Give it 1 to 128 letters, digits, "_" or "-".',
    ],
    [{ inputSchema: {} }, 'tools[0]: the tool "Echo" needs an inputSchema of type "object".'],
    [{ run: undefined as never }, 'tools[0]: the tool "Echo" needs a function run(call).'],
  ])('are refused before any model call when they cannot work: %j', async (wrong, text) => {
    const { error, model } = await run(['Never.'], {}, { tools: [echo(wrong)] });
    expect(String(error)).toContain(text);
    expect(model.requests).toEqual([]);
  });
});

describe('a source of tools', () => {
  it('is opened for each conversation with what it may know of it, and closed at its end', async () => {
    const seen: ToolSurroundings[] = [];
    let closed = 0;
    const source: ToolSource = {
      open: (conversation) => {
        seen.push(conversation);
        const close = (): void => {
          closed += 1;
        };
        return { version: 0, tools: () => [echo()], close };
      },
    };
    const { result } = await run(
      ['Done.'],
      { cwd: '/', env: { COLOUR: 'green' }, additionalDirectories: ['/elsewhere'] },
      { tools: source },
    );
    expect(result.result).toBe('Done.');
    expect(seen).toMatchObject([
      { cwd: '/', additionalDirectories: ['/elsewhere'], env: { COLOUR: 'green' } },
    ]);
    expect(closed).toBe(1);
  });

  it('that fails to close does not hold up the end', async () => {
    const source: ToolSource = {
      open: () => ({ version: 0, tools: () => [], close: () => Promise.reject(new Error('stuck')) }),
    };
    expect((await run(['Done.'], {}, { tools: source })).result.result).toBe('Done.');
  });

  it('that throws ends the turn with its words, and the next turn asks again', async () => {
    let isBroken = true;
    const source: ToolSource = {
      open: () => ({
        version: 0,
        tools: () => {
          if (isBroken) throw new Error('the toolbox is locked');
          return [echo()];
        },
      }),
    };
    const { session, model } = talk(['Done.'], { throwOnErrorResult: false }, { tools: source });
    expect((await session.ask('One.')) as unknown).toMatchObject({
      is_error: true,
      errors: ['the toolbox is locked'],
    });
    isBroken = false;
    expect((await session.ask('Two.')) as unknown).toMatchObject({ result: 'Done.' });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['Echo']);
    await session.close();
  });

  it('is asked once for 1,000 calls of a conversation, and again when its version has changed', async () => {
    let version = 0;
    const asked: number[] = [];
    const source: ToolSource = {
      open: () => ({
        get version() {
          return version;
        },
        tools: () => {
          asked.push(version);
          return [echo({ name: `Echo${version}`, needsNoPermission: true })];
        },
      }),
    };
    const calls = Array.from({ length: 100 }, () => use('Echo0'));
    const { session, model } = talk(
      (_, index) => (index % 6 === 5 ? 'Done.' : { toolUses: [...calls, ...calls] }),
      {},
      { tools: source },
    );
    await session.ask('One.');
    expect(toolResults(model.requests[5])).toHaveLength(1000);
    expect(toolResults(model.requests[5]).every(({ isError }) => !isError)).toBe(true);
    expect(asked).toEqual([0]);
    version = 1;
    await session.ask('Two.');
    expect(asked).toEqual([0, 1]);
    expect(model.requests[6]?.tools.map(({ name }) => name)).toEqual(['Echo1']);
    await session.close();
  });
});

describe('the list of tools is made anew', () => {
  it('when a server says that its tools are others than before', async () => {
    const s = server({ first: () => 'F' });
    const { session, model } = talk(['One.', 'Two.'], { mcpServers: { s } });
    await session.ask('One.');
    s.addTool(tool('second', 'Another', {}, () => 'S'));
    await session.ask('Two.');
    const names = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(names).toEqual([['mcp__s__first'], ['mcp__s__first', 'mcp__s__second']]);
    await session.close();
  });

  it('when the host denies a tool while a turn is running', async () => {
    const s = server({ one: () => '1', two: () => '2' });
    const { model } = await run([{ toolUses: [call('one')] }, 'Done.'], {
      mcpServers: { s },
      canUseTool: async (_, input) => ({
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: [
          {
            type: 'addRules',
            rules: [{ toolName: 'mcp__s__two' }],
            behavior: 'deny',
            destination: 'session',
          },
        ],
      }),
    });
    const names = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(names).toEqual([['mcp__s__one', 'mcp__s__two'], ['mcp__s__one']]);
  });
});

describe('two tools of one name', () => {
  it('are not merged: the runtime`s own one wins over that of a server, and somebody is told (R32)', async () => {
    const s = server({ add: () => 'of the server' });
    const own = echo({ name: 'mcp__s__add', run: async () => ({ content: 'of the runtime' }) });
    const { model, messages } = await run(
      [{ toolUses: [call('add')] }, 'Done.'],
      { mcpServers: { s }, allowedTools: ['mcp__s__add'] },
      { tools: [own] },
    );
    expect(toolResults(model.requests[1])).toMatchObject([{ text: 'of the runtime' }]);
    expect(toolsOf(messages)).toEqual(['mcp__s__add']);
    expect(warnings(messages)).toEqual([
      'Two tools are named "mcp__s__add": the one of the agent itself is used, the one of the MCP server "s" is ignored.',
    ]);
  });

  it('of two servers: none of them is used, and somebody is told (R32)', async () => {
    // The tools of a library's server are known only when it is asked.
    const named = (name: string) => ({ type: 'sdk' as const, name, instance: libraryServer(name) });
    const { model, messages } = await run([{ toolUses: [use('mcp__a_b__which')] }, 'Done.'], {
      mcpServers: { 'a.b': named('a.b'), 'a b': named('a b') },
      allowedTools: ['mcp__a_b__which'],
      mcpReady: true,
    });
    expect(toolResults(model.requests[1])).toMatchObject([{ text: expect.stringContaining('No such tool') }]);
    expect(warnings(messages)).toContain(
      'Two tools are named "mcp__a_b__which": one of the MCP server "a.b" and one of the MCP server "a b". Neither is used, because rules for one would count for the other: rename a server or a tool.',
    );
  });

  it('of which one is the runtime`s search: that is kept (R32)', async () => {
    const { messages } = await run(['Done.'], {}, { tools: [echo({ name: 'ToolSearch' })] });
    expect(toolsOf(messages)).toEqual([]);
    expect(warnings(messages)).toHaveLength(1);
  });
});
