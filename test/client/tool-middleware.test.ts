/** Middleware around tool calls: of in-process servers with both agents, and of every tool in the embedded runtime. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type CallMiddleware,
  type CallToolResult,
  createSdkMcpServer,
  type McpServerConfig,
  type Options,
  query,
  type ToolInvocation,
  tool,
} from '../../src/index.js';
import { embedded, type RuntimeConfig, type RuntimeTool } from '../../src/runtime/index.js';
import { type Script, scriptedModel, toolUse } from '../../src/testing/index.js';
import { ask, BACK_ENDS, resultsOf } from '../support/back-ends.js';
import { foreignServers } from '../support/foreign-servers.js';
import { collect } from '../support/real-cli.js';

const STOCK = 'mcp__shop__stock';

const shop = (stock: (product: string) => string = (product) => `8 of ${product}`) =>
  createSdkMcpServer({
    name: 'shop',
    tools: [tool('stock', 'How many.', { product: z.string() }, async ({ product }) => stock(product))],
  });

/** What is between the start and the end of each call, as a tracer would keep it. */
interface Span {
  name: string;
  toolUseId: string | undefined;
  milliseconds: number;
  failed: boolean;
}

function spans(): { spans: Span[]; middleware: CallMiddleware } {
  const spans: Span[] = [];
  return {
    spans,
    middleware: async ({ toolName, toolUseId }, next) => {
      const began = performance.now();
      const span = { name: `execute_tool ${toolName}`, toolUseId, milliseconds: 0, failed: true };
      try {
        const result = await next();
        span.failed = result.isError === true;
        return result;
      } finally {
        span.milliseconds = performance.now() - began;
        spans.push(span);
      }
    },
  };
}

function signalLater(): { promise: Promise<AbortSignal>; resolve(signal: AbortSignal): void } {
  let resolve: (signal: AbortSignal) => void = () => {};
  const promise = new Promise<AbortSignal>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const limit =
  (characters: number): CallMiddleware =>
  async (_call, next) => {
    const result = await next();
    const content = result.content.map((block) =>
      block.type === 'text' && block.text.length > characters
        ? { ...block, text: `${block.text.slice(0, characters)} […]` }
        : block,
    );
    return { ...result, content };
  };

describe.each(BACK_ENDS)('tool middleware of a query with $name', ({ start }) => {
  const servers: readonly [string, () => Record<string, McpServerConfig>, string][] = [
    ['a server of our own', () => ({ shop: shop() }), STOCK],
    ...foreignServers.map(
      ([name, make]) =>
        [
          name,
          () => ({ shop: { type: 'sdk', name: 'shop', instance: make().instance } }),
          'mcp__shop__add',
        ] as [string, () => Record<string, McpServerConfig>, string],
    ),
  ];

  it.each(servers)(
    'sees the calls of %s, with all that there is to know (R55)',
    async (_, mcpServers, name) => {
      const input = name === STOCK ? { product: 'hammer' } : { a: 1, b: 2 };
      await using agent = await start([{ tool: name, input }, 'Done.']);
      const calls: ToolInvocation[] = [];
      const results: CallToolResult[] = [];
      const { messages, error } = await ask(
        agent.options({
          mcpServers: mcpServers(),
          allowedTools: [name],
          toolMiddleware: [
            async (call, next) => {
              calls.push(call);
              results.push(await next());
              return { content: [{ type: 'text', text: 'by the middleware' }] };
            },
          ],
        }),
      );
      expect(error).toBeUndefined();
      const session = messages.find((message) => message.type === 'system')?.session_id;
      expect(calls).toEqual([
        {
          toolName: name,
          server: 'shop',
          input,
          toolUseId: expect.any(String),
          sessionId: session,
          signal: expect.any(AbortSignal),
        },
      ]);
      expect(JSON.stringify(messages)).toContain(`"id":"${calls[0]?.toolUseId}"`);
      expect(results[0]?.content[0]).toMatchObject({ text: name === STOCK ? '8 of hammer' : '3' });
      expect(resultsOf(messages)).toEqual(['by the middleware']);
    },
  );

  it('makes a tool error of what it throws, and the conversation goes on', async () => {
    await using agent = await start([{ tool: STOCK, input: { product: 'hammer' } }, 'A pity.']);
    const { messages, error } = await ask(
      agent.options({
        mcpServers: { shop: shop() },
        allowedTools: [STOCK],
        toolMiddleware: [
          () => {
            throw new Error('Not on Sundays.');
          },
        ],
      }),
    );
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toEqual([expect.stringContaining('Not on Sundays.')]);
    expect(JSON.stringify(messages)).toContain('"is_error":true');
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'A pity.' });
  });

  it('is enough for spans around calls and for a limit of results', async () => {
    await using agent = await start([
      { tool: STOCK, input: { product: 'hammer' } },
      { tool: STOCK, input: {} },
      'Done.',
    ]);
    const traced = spans();
    const { messages } = await ask(
      agent.options({
        mcpServers: { shop: shop(() => 'x'.repeat(10_000)) },
        allowedTools: [STOCK],
        toolMiddleware: [traced.middleware, limit(100)],
      }),
    );
    expect(resultsOf(messages)[0]).toBe(`${'x'.repeat(100)} […]`);
    expect(traced.spans).toMatchObject([
      { name: `execute_tool ${STOCK}`, failed: false },
      { name: `execute_tool ${STOCK}`, failed: true },
    ]);
    expect(new Set(traced.spans.map(({ toolUseId }) => toolUseId)).size).toBe(2);
  });

  it('of a server goes around the calls of its own tools, inside that of the query', async () => {
    await using agent = await start([{ tool: STOCK, input: { product: 'hammer' } }, 'Done.']);
    const note =
      (text: string): CallMiddleware =>
      async (call, next) => {
        const { content } = await next({ product: `${text} ${call.input.product}` });
        return { content: [...content, { type: 'text', text }] };
      };
    const server = createSdkMcpServer({
      name: 'shop',
      middleware: [note('inner')],
      tools: [tool('stock', 'How many.', { product: z.string() }, async ({ product }) => product)],
    });
    const { messages } = await ask(
      agent.options({ mcpServers: { shop: server }, allowedTools: [STOCK], toolMiddleware: [note('outer')] }),
    );
    expect(resultsOf(messages)).toEqual(['inner outer hammerinnerouter']);
  });

  it('that hangs is left behind when the conversation is closed, with its signal aborted', async () => {
    await using agent = await start([{ tool: STOCK, input: { product: 'hammer' } }, 'Never.']);
    const entered = signalLater();
    const run = query({
      prompt: 'Go.',
      options: agent.options({
        mcpServers: { shop: shop() },
        allowedTools: [STOCK],
        toolMiddleware: [
          ({ signal }) => {
            entered.resolve(signal);
            return new Promise(() => {});
          },
        ],
      }),
    });
    const loop = collect(run);
    const signal = await entered.promise;
    expect(signal.aborted).toBe(false);
    await run.close();
    await loop;
    expect(signal.aborted).toBe(true);
  });
});

/** One prompt with the embedded runtime, and what the model was sent in the end. */
async function embeddedRun(
  script: Script,
  config: Omit<RuntimeConfig, 'model'>,
  options: Options = {},
): Promise<{ messages: Awaited<ReturnType<typeof ask>>['messages']; sent: string }> {
  const model = scriptedModel(script);
  const { messages, error } = await ask({ runtime: embedded({ model, ...config }), ...options });
  expect(error).toBeUndefined();
  return { messages, sent: JSON.stringify(model.requests.at(-1)?.body) };
}

const look: RuntimeTool = {
  name: 'Look',
  description: 'Looks.',
  inputSchema: { type: 'object' },
  needsNoPermission: true,
  run: async ({ input }) => ({
    content: [
      { type: 'text', text: `looked at ${input.what}` },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a document' } } as never,
    ],
    detail: { own: 'detail' },
  }),
};

describe('tool middleware of the embedded runtime', () => {
  const pass: CallMiddleware = (_call, next) => next();

  it('goes around MCP tools and its own alike, after permission and before PostToolUse hooks', async () => {
    const order: string[] = [];
    const { messages } = await embeddedRun(
      [
        toolUse(STOCK, { product: 'hammer' }),
        toolUse('Look', { what: 'the shelf' }),
        toolUse('mcp__shop__denied', {}),
        'Done.',
      ],
      {
        tools: [look],
        toolMiddleware: [
          async (call, next) => {
            order.push(`${call.toolName} of ${call.server}`);
            return next();
          },
        ],
      },
      {
        mcpServers: { shop: shop() },
        canUseTool: async (name) => {
          order.push(`asked for ${name}`);
          return name === STOCK
            ? { behavior: 'allow', updatedInput: { product: 'saw' } }
            : { behavior: 'deny', message: 'no' };
        },
        hooks: {
          PostToolUse: [
            {
              hooks: [
                async (input) => {
                  order.push(`after ${(input as { tool_name: string }).tool_name}`);
                  return {};
                },
              ],
            },
          ],
        },
      },
    );
    expect(order).toEqual([
      `asked for ${STOCK}`,
      `${STOCK} of shop`,
      `after ${STOCK}`,
      'Look of undefined',
      'after Look',
    ]);
    expect(resultsOf(messages)[0]).toBe('8 of saw');
  });

  it('that changes nothing loses nothing: what the model and the host get is the same as without it', async () => {
    const script: Script = [
      toolUse('Look', { what: 'it' }),
      toolUse(STOCK, { product: 'saw' }),
      toolUse(STOCK, {}),
      'Done.',
    ];
    const play = async (toolMiddleware?: CallMiddleware[]): Promise<unknown> => {
      const { messages, sent } = await embeddedRun(
        script,
        { tools: [look], toolMiddleware },
        { mcpServers: { shop: shop() }, allowedTools: [STOCK] },
      );
      const details = messages.flatMap((each) => (each.type === 'user' ? [each.tool_use_result] : []));
      return { details, sent };
    };
    expect(await play([pass, pass])).toEqual(await play());
  });

  it('that changes a block keeps those beside it, also of a kind that MCP does not have', async () => {
    const { sent, messages } = await embeddedRun([toolUse('Look', { what: 'it' }), 'Done.'], {
      tools: [look],
      toolMiddleware: [limit(6)],
    });
    expect(sent).toContain('"text":"looked […]"');
    expect(sent).toContain('"data":"a document"');
    const told = messages.find((message) => message.type === 'user')?.tool_use_result;
    expect(told).toMatchObject([{ text: 'looked […]' }, { type: 'document' }]);
  });

  it('sees the failure of a tool as a result, whatever kind of tool it is', async () => {
    const failed: unknown[] = [];
    const breaks: RuntimeTool = { ...look, name: 'Break', run: () => Promise.reject(new Error('It broke.')) };
    const { messages } = await embeddedRun(
      [toolUse('Break', {}), toolUse(STOCK, {}), 'Done.'],
      {
        tools: [breaks],
        toolMiddleware: [
          async (_call, next) => {
            const result = await next();
            failed.push(result);
            return result;
          },
        ],
      },
      { mcpServers: { shop: shop() }, allowedTools: [STOCK] },
    );
    expect(failed).toMatchObject([
      { isError: true, content: [{ type: 'text', text: 'It broke.' }] },
      { isError: true, content: [{ type: 'text', text: expect.stringContaining('product') }] },
    ]);
    expect(resultsOf(messages)[0]).toBe('It broke.');
  });

  it('that throws fails the call and not the turn; one that hangs is left behind by an interrupt', async () => {
    const { messages } = await embeddedRun([toolUse('Look', {}), 'Done.'], {
      tools: [look],
      toolMiddleware: [() => Promise.reject(new Error('Closed today.'))],
    });
    expect(resultsOf(messages)).toEqual(['Closed today.']);

    const entered = signalLater();
    const hanging: CallMiddleware = ({ signal }) => {
      entered.resolve(signal);
      return new Promise(() => {});
    };
    const model = scriptedModel([toolUse(STOCK, { product: 'saw' }), 'Never.']);
    const run = query({
      prompt: 'Go.',
      options: {
        runtime: embedded({ model, toolMiddleware: [hanging] }),
        mcpServers: { shop: shop() },
        allowedTools: [STOCK],
      },
    });
    const loop = collect(run);
    const signal = await entered.promise;
    await run.interrupt();
    const { messages: seen } = await loop;
    expect(signal.aborted).toBe(true);
    expect(seen.at(-1)).toMatchObject({ type: 'result' });
  });

  it('that is no list of functions is refused by name, and the query fails', async () => {
    const runtime = embedded({ model: scriptedModel(['Hello.']), toolMiddleware: [7] as never });
    await expect(ask({ runtime })).rejects.toThrow(
      'The option `toolMiddleware` must be an array of functions',
    );
    expect(() => query({ prompt: 'Go.', options: { toolMiddleware: ['x'] as never } })).toThrow(
      'The option `toolMiddleware` must be an array of functions',
    );
  });
});
