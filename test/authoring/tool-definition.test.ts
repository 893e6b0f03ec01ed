/** What tool() and createSdkMcpServer() make and refuse (R1, R2, R8). */
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import {
  type CallToolResult,
  createSdkMcpServer,
  type ListedTool,
  OptionError,
  TenonError,
  type ToolContext,
  tool,
} from '../../src/index.js';
import { McpWire } from '../support/mcp-wire.js';

const anything = () => 'x';

async function listed(
  ...tools: Parameters<typeof createSdkMcpServer>[0]['tools'] & object
): Promise<ListedTool[]> {
  const wire = await McpWire.to(createSdkMcpServer({ name: 'server', tools }).instance);
  return (await wire.request<{ tools: ListedTool[] }>('tools/list')).tools;
}

describe('tool() returns a definition (R1)', () => {
  it('with its parts, and extras where the official SDK puts them', () => {
    const inputSchema = { a: z.number() };
    expect(tool('add', 'Adds', inputSchema, anything)).toEqual({
      name: 'add',
      description: 'Adds',
      inputSchema,
      handler: anything,
    });
    const extras = {
      annotations: { readOnlyHint: true },
      searchHint: 'sum total',
      alwaysLoad: true,
      _meta: { mine: 1 },
    };
    expect(tool('add', 'Adds', inputSchema, anything, extras)).toMatchObject({
      annotations: { readOnlyHint: true },
      _meta: { mine: 1, 'anthropic/searchHint': 'sum total', 'anthropic/alwaysLoad': true },
    });
  });

  it('that is listed with annotations and _meta', async () => {
    const [plain, rich] = await listed(
      tool('plain', 'd', {}, anything),
      tool('rich', 'd', {}, anything, { annotations: { title: 'Rich' }, searchHint: 'money' }),
    );
    expect(Object.keys(plain ?? {}).sort()).toEqual(['description', 'inputSchema', 'name']);
    expect(rich).toMatchObject({
      annotations: { title: 'Rich' },
      _meta: { 'anthropic/searchHint': 'money' },
    });
  });
});

describe('a name (R8, pain 18)', () => {
  it.each<[unknown, RegExp]>([
    ['', /needs a name/],
    [undefined, /needs a name/],
    [7, /needs a name/],
    ['get inbox', /only letters, digits, "_" and "-"\. Try "get_inbox"/],
    ['email.search', /Try "email_search"/],
    ['grüße', /Try "gr_e"/],
    ['x'.repeat(65), /has 65 characters; 64 are allowed/],
  ])('%j is refused with the rule and the remedy', (name, message) => {
    const make = () => tool(name as string, 'd', {}, anything);
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_TOOL' }));
  });

  it.each(['a', 'A-1_b', 'x'.repeat(50)])('%j is taken', (name) => {
    expect(tool(name, 'd', {}, anything).name).toBe(name);
  });

  it('that gets too long with that of its server is refused by the server', () => {
    const make = () =>
      createSdkMcpServer({ name: 'a server', tools: [tool('x'.repeat(50), 'd', {}, anything)] });
    expect(make).toThrow(
      /the model would see it as "mcp__a_server__x+", which has 65 characters; 64 are allowed/,
    );
    expect(make).toThrow(/Shorten the tool's name or the name of its server "a server"/);
  });

  it('that two tools of a server have is refused', () => {
    const twice = [tool('same', 'd', {}, anything), tool('same', 'd', {}, anything)];
    expect(() => createSdkMcpServer({ name: 's', tools: twice })).toThrow(
      'Server "s" has two tools named "same". Give one of them another name.',
    );
  });
});

describe('a definition that cannot work is refused when it is made', () => {
  it.each<[string, unknown[], RegExp]>([
    ['no handler', ['t', 'd', {}], /Tool "t": its handler must be a function/],
    [
      'no schema',
      ['t', 'd', undefined, anything],
      /needs an input schema; for a tool without arguments give \{\}/,
    ],
    ['null for a schema', ['t', 'd', null, anything], /needs an input schema/],
    [
      'values instead of schemas',
      ['t', 'd', { a: 'string' }, anything],
      /the key "a" holds a string, not a schema.*z\.string/,
    ],
    ['null in a shape', ['t', 'd', { a: null }, anything], /the key "a" holds null/],
    [
      'a string as the root',
      ['t', 'd', z.string(), anything],
      /root must be an object; it is of type "string"/,
    ],
  ])('%s', (_, parameters, message) => {
    const make = () => tool(...(parameters as Parameters<typeof tool>));
    expect(make).toThrow(message);
    expect(make).toThrow(TenonError);
  });
});

describe('createSdkMcpServer() returns a value for mcpServers (R2)', () => {
  it('of type sdk, with name and instance, and version 1.0.0 unless told', async () => {
    const config = createSdkMcpServer({ name: 'calc' });
    expect(Object.keys(config)).toEqual(['type', 'name', 'instance']);
    expect(config).toMatchObject({ type: 'sdk', name: 'calc' });
    expect(config.instance.initializeResult()).toMatchObject({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'calc', version: '1.0.0' },
      capabilities: { tools: { listChanged: true } },
    });
    const full = createSdkMcpServer({
      name: 'calc',
      version: '2.3.4',
      instructions: 'Use it.',
      timeout: 5_000,
    });
    expect(full.instance.initializeResult()).toMatchObject({
      serverInfo: { version: '2.3.4' },
      instructions: 'Use it.',
    });
    expect(full.timeout).toBe(5_000);
  });

  it('whose tools are all loaded at once when it says so', async () => {
    const server = createSdkMcpServer({
      name: 's',
      alwaysLoad: true,
      tools: [tool('a', 'd', {}, anything), tool('b', 'd', {}, anything, { _meta: { mine: 1 } })],
    });
    const wire = await McpWire.to(server.instance);
    expect((await wire.request<{ tools: ListedTool[] }>('tools/list')).tools).toMatchObject([
      { _meta: { 'anthropic/alwaysLoad': true } },
      { _meta: { mine: 1, 'anthropic/alwaysLoad': true } },
    ]);
  });

  it.each<[unknown, RegExp]>([
    [{}, /needs a `name`/],
    [{ name: '' }, /needs a `name`/],
    [undefined, /needs a `name`/],
    [{ name: 's', tools: {} }, /Server "s": `tools` must be an array/],
  ])('and refuses %j', (options, message) => {
    const make = () => createSdkMcpServer(options as { name: string });
    expect(make).toThrow(message);
    expect(make).toThrow(OptionError);
  });
});

describe("a handler's arguments are typed from the schema (R1)", () => {
  it('for zod 4, zod 3 and zod/mini', () => {
    interface Expected {
      a: number;
      kind: 'bug' | 'task';
      limit: number;
      note?: string | undefined;
    }
    tool(
      't',
      'd',
      {
        a: z.number(),
        kind: z.enum(['bug', 'task']),
        limit: z.number().default(1),
        note: z.string().optional(),
      },
      (args, context) => {
        expectTypeOf(args).toEqualTypeOf<Expected>();
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        return { content: [] } satisfies CallToolResult;
      },
    );
    tool('t', 'd', z.object({ a: z.number(), list: z.array(z.string()) }), (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number; list: string[] }>();
      return 1;
    });
    tool('t', 'd', { a: z3.number(), note: z3.string().optional() }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number; note?: string | undefined }>();
      return true;
    });
    tool('t', 'd', { a: mini.number(), note: mini.optional(mini.string()) }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number; note?: string | undefined }>();
      return undefined;
    });
    tool('t', 'd', { when: z.string().transform(Number) }, ({ when }) => {
      expectTypeOf(when).toEqualTypeOf<number>();
      return null;
    });
    tool('t', 'd', { a: z.string() }, ({ a }) => {
      // A handler may have nothing to say.
      expectTypeOf(a).toEqualTypeOf<string>();
    });
    tool('t', 'd', {}, (args) => {
      // @ts-expect-error There are no arguments.
      return args.nothing;
    });
  });
});
