/** A conversation as spans and metrics, by the conventions for GenAI and MCP, on both back ends (R59). */
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, createSession, type Options, tool } from '../../src/index.js';
import { otel } from '../../src/otel/index.js';
import { embedded } from '../../src/runtime/index.js';
import { apiError, scriptedModel, toolUse, toolUses } from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { waitUntil } from '../support/real-cli.js';
import { isWithin, Recorded, registerContext } from './support.js';

beforeAll(registerContext);

const STOCK = 'mcp__shop__stock';

/** A tool that makes a span of its own; `product` says how it goes. */
const shop = (recorded: Recorded) =>
  createSdkMcpServer({
    name: 'shop',
    tools: [
      tool('stock', 'How many.', { product: z.string() }, async ({ product }) => {
        const span = recorded.tracerProvider.getTracer('shop').startSpan(`look up ${product}`);
        await new Promise((resolve) => setImmediate(resolve));
        span.end();
        if (product === 'bomb') throw new Error('It exploded.');
        return 'eight';
      }),
    ],
  });

const stock = (product = 'hammer') => toolUse(STOCK, { product });

function traced(recorded: Recorded, more: Options = {}): Options {
  return {
    tracer: otel({ ...recorded.providers, agentName: 'clerk' }),
    mcpServers: { shop: shop(recorded) },
    allowedTools: [STOCK],
    ...more,
  };
}

describe.each(BACK_ENDS)('the spans of $name', ({ start, isCli }) => {
  it('are a turn, its requests to the model and its calls, with the spans of handlers within them (R59)', async () => {
    await using agent = await start([stock(), 'Eight.']);
    const recorded = new Recorded();
    const { error } = await ask(agent.options(traced(recorded)));
    expect(error).toBeUndefined();
    const model = agent.player.requests[0]?.body.model as string;
    const inner = `execute_tool ${STOCK}(look up hammer)`;
    expect(recorded.tree()).toBe(
      isCli ? `invoke_agent clerk(${inner})` : `invoke_agent clerk(chat ${model} + ${inner} + chat ${model})`,
    );
    expect(recorded.traceIds().size).toBe(1);
    const turn = recorded.span('invoke_agent clerk');
    expect(turn.kind).toBe(isCli ? SpanKind.CLIENT : SpanKind.INTERNAL);
    expect(turn.status.code).toBe(SpanStatusCode.UNSET);
    expect(turn.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'clerk',
      'gen_ai.conversation.id': expect.stringMatching(/^[\da-f-]{36}$/),
      'gen_ai.response.model': model,
      'gen_ai.response.finish_reasons': ['end_turn'],
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'tenon.usage.model_requests': 2,
    });
    const call = recorded.span(`execute_tool ${STOCK}`);
    expect(call.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': STOCK,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': expect.stringMatching(/^toolu_/),
      'gen_ai.conversation.id': turn.attributes['gen_ai.conversation.id'],
      'mcp.method.name': 'tools/call',
      'mcp.session.id': turn.attributes['gen_ai.conversation.id'],
      'tenon.mcp.server.name': 'shop',
    });
    expect(call.kind).toBe(SpanKind.INTERNAL);
  });

  it('say nothing of what was said, unless asked for; then without secrets (R59)', async () => {
    const secret = 'planted-secret-42';
    const away = { type: 'http' as const, url: 'http://127.0.0.1:9/mcp', headers: { authorization: secret } };
    const run = async (content: boolean | undefined): Promise<string> => {
      await using agent = await start([stock('spanner'), `Eight, says ${secret}.`]);
      const recorded = new Recorded();
      const tracer = otel({ ...recorded.providers, content });
      const servers = { shop: shop(new Recorded()), away };
      await ask(agent.options(traced(recorded, { tracer, mcpServers: servers })), 'How many are left?');
      return JSON.stringify(
        recorded.spans().map(({ attributes, status, events }) => [attributes, status, events]),
      );
    };
    const [quiet, loud] = [await run(undefined), await run(true)];
    for (const said of ['How many are left?', 'spanner', 'eight', 'Eight, says'])
      expect([quiet.includes(said), loud.includes(said), said]).toEqual([false, true, said]);
    expect(loud).not.toContain(secret);
    expect(loud).toContain('gen_ai.input.messages');
    expect(loud).toContain('gen_ai.tool.call.arguments');
  });

  it('of calls at the same time are siblings, each with the work of its own handler (R59)', async () => {
    await using agent = await start([
      toolUses([
        { name: STOCK, input: { product: 'a' } },
        { name: STOCK, input: { product: 'b' } },
      ]),
      'Done.',
    ]);
    const recorded = new Recorded();
    await ask(agent.options(traced(recorded)));
    const calls = recorded.spans().filter((span) => span.name === `execute_tool ${STOCK}`);
    const [a, b] = [recorded.span('look up a'), recorded.span('look up b')];
    const turn = recorded.span('invoke_agent clerk');
    expect(calls.every((call) => isWithin(call, turn))).toBe(true);
    expect(calls.filter((call) => isWithin(a, call))).toHaveLength(1);
    expect(calls.filter((call) => isWithin(b, call))).toHaveLength(1);
    expect(new Set(calls.map((call) => call.attributes['gen_ai.tool.call.id'])).size).toBe(2);
  });

  it('tell of failures: a tool that throws, one that is denied, one that does not exist (R59)', async () => {
    await using agent = await start([
      stock('bomb'),
      toolUse('mcp__shop__theft'),
      toolUse('mcp__shop__none'),
      'Oh.',
    ]);
    const recorded = new Recorded();
    const server = createSdkMcpServer({
      name: 'shop',
      tools: [
        tool('stock', 'How many.', { product: z.string() }, async () => {
          throw new Error('It exploded.');
        }),
        tool('theft', 'No.', {}, async () => 'gone'),
      ],
    });
    const { error } = await ask(
      agent.options(
        traced(recorded, {
          mcpServers: { shop: server },
          canUseTool: async () => ({ behavior: 'deny', message: 'Never.' }),
        }),
      ),
    );
    expect(error).toBeUndefined();
    const failures = recorded
      .spans()
      .filter((span) => span.name.startsWith('execute_tool'))
      .map((span) => [span.name, span.attributes['error.type'], span.status]);
    expect(failures).toEqual([
      [`execute_tool ${STOCK}`, 'tool_error', { code: SpanStatusCode.ERROR }],
      ['execute_tool mcp__shop__theft', 'permission_denied', { code: SpanStatusCode.ERROR }],
      ['execute_tool mcp__shop__none', 'tool_error', { code: SpanStatusCode.ERROR }],
    ]);
    expect(recorded.span('invoke_agent clerk').status.code).toBe(SpanStatusCode.UNSET);
  });

  it('tell why a turn failed (R59)', async () => {
    await using agent = await start([apiError(400, 'invalid_request_error', 'No.')]);
    const recorded = new Recorded();
    await ask(agent.options(traced(recorded)));
    const turn = recorded.span('invoke_agent clerk');
    expect(turn.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(turn.attributes['error.type']).toBe('400');
    if (isCli) return;
    const [asked] = recorded.spans().filter((span) => span.name.startsWith('chat'));
    expect(asked?.attributes['error.type']).toBe('400');
  });

  it('belong to the span that was active, and conversations at the same time do not mix (R59)', async () => {
    const recorded = new Recorded();
    const one = async (who: string): Promise<void> => {
      await using agent = await start([stock(who), 'Done.']);
      const tracer = otel({ ...recorded.providers, agentName: who });
      await recorded.inSpan(`request of ${who}`, async () => {
        await ask(agent.options(traced(recorded, { tracer })));
      });
    };
    await Promise.all(['ann', 'bob', 'cy'].map(one));
    for (const who of ['ann', 'bob', 'cy']) {
      const request = recorded.span(`request of ${who}`);
      const turn = recorded.span(`invoke_agent ${who}`);
      const work = recorded.span(`look up ${who}`);
      expect(isWithin(turn, request)).toBe(true);
      const own = recorded
        .spans()
        .filter((span) => span.spanContext().traceId === turn.spanContext().traceId);
      expect(own).toContain(work);
      expect(own).toHaveLength(isCli ? 4 : 6);
    }
    expect(recorded.traceIds().size).toBe(3);
  });

  it('of a conversation that a tool holds are below the call of the tool (R59)', async () => {
    await using agent = await start([toolUse('mcp__desk__ask'), 'Done.']);
    const recorded = new Recorded();
    const inner: Options = {
      tracer: otel({ ...recorded.providers, agentName: 'expert' }),
      runtime: embedded({ model: scriptedModel([stock(), 'Eight.']) }),
      mcpServers: { shop: shop(recorded) },
      allowedTools: [STOCK],
      env: agent.box.env(),
    };
    const consult = tool('ask', 'Asks an expert.', {}, async () => {
      await ask(inner);
      return 'asked';
    });
    const desk = createSdkMcpServer({ name: 'desk', tools: [consult] });
    const options = { mcpServers: { desk }, allowedTools: ['mcp__desk__ask'] };
    await ask(agent.options(traced(recorded, options)));
    const within = `invoke_agent expert(chat + execute_tool ${STOCK}(look up hammer) + chat)`;
    const call = `execute_tool mcp__desk__ask(${within})`;
    expect(recorded.shape()).toBe(
      isCli ? `invoke_agent clerk(${call})` : `invoke_agent clerk(chat + ${call} + chat)`,
    );
  });

  it('of a session are one for its start and one for each turn, in the trace that is active where it is asked (R59)', async () => {
    await using agent = await start(['One.', stock(), 'Two.', 'Three.']);
    const recorded = new Recorded();
    const session = createSession(agent.options(traced(recorded)));
    await session.ask('First.');
    await recorded.inSpan('request', () => session.ask('Second.'));
    await session.ask('Third.');
    await session.close();
    const created = recorded.span('create_agent clerk');
    const turns = recorded.spans().filter((span) => span.name === 'invoke_agent clerk');
    expect(turns).toHaveLength(3);
    const [first, second, third] = turns as [(typeof turns)[0], (typeof turns)[0], (typeof turns)[0]];
    expect(isWithin(first, created)).toBe(true);
    expect(isWithin(second, recorded.span('request'))).toBe(true);
    expect(second.links.map((link) => link.context.spanId)).toEqual([created.spanContext().spanId]);
    expect(isWithin(third, created)).toBe(true);
    expect(third.links).toEqual([]);
    // What a turn used is not what the conversation has used.
    const tokens = turns.map((turn) => turn.attributes['gen_ai.usage.output_tokens'] as number);
    expect(tokens[2]).toBe(tokens[0]);
    const costs = turns.map((turn) => turn.attributes['tenon.usage.cost_usd'] as number);
    if (costs[0] !== undefined) expect(costs[2]).toBeCloseTo(costs[0], 10);
  });

  it('are measured: durations and tokens, by the names of the conventions (R59)', async () => {
    await using agent = await start([stock(), stock('bomb'), 'Eight.']);
    const recorded = new Recorded();
    await ask(agent.options(traced(recorded)));
    const turn = recorded.span('invoke_agent clerk');
    const operations = await recorded.points('gen_ai.client.operation.duration');
    expect(operations.map(({ attributes, count }) => [attributes['gen_ai.operation.name'], count])).toEqual(
      isCli
        ? [['invoke_agent', 1]]
        : [
            ['chat', 3],
            ['invoke_agent', 1],
          ],
    );
    const tools = await recorded.points('gen_ai.execute_tool.duration');
    expect(tools).toEqual([
      { attributes: { 'gen_ai.tool.name': STOCK }, count: 1, sum: expect.any(Number) },
      {
        attributes: { 'gen_ai.tool.name': STOCK, 'error.type': 'tool_error' },
        count: 1,
        sum: expect.any(Number),
      },
    ]);
    const served = await recorded.points('mcp.server.operation.duration');
    expect(
      served.map(({ attributes, count }) => [attributes['mcp.method.name'], attributes['error.type'], count]),
    ).toEqual([
      ['tools/call', undefined, 1],
      ['tools/call', 'tool_error', 1],
    ]);
    expect(await recorded.points('mcp.client.operation.duration')).toHaveLength(isCli ? 0 : 2);
    const tokens = await recorded.points('gen_ai.client.token.usage');
    for (const type of ['input', 'output']) {
      const used = tokens.filter(({ attributes }) => attributes['gen_ai.token.type'] === type);
      expect(used.reduce((sum, point) => sum + point.sum, 0)).toBe(
        turn.attributes[`gen_ai.usage.${type}_tokens`],
      );
    }
  });

  it('begin with a call only when it may run: waiting for permission is not execution (R59)', async () => {
    await using agent = await start([stock(), 'Eight.']);
    const recorded = new Recorded();
    let askedAt = 0;
    await ask(
      agent.options(
        traced(recorded, {
          allowedTools: [],
          canUseTool: async (_, input) => {
            askedAt = Date.now();
            await waitUntil(() => Date.now() > askedAt + 100, { what: 'somebody to think about it' });
            return { behavior: 'allow', updatedInput: input };
          },
        }),
      ),
    );
    const [seconds, nanoseconds] = recorded.span(`execute_tool ${STOCK}`).startTime;
    expect(seconds * 1000 + nanoseconds / 1e6).toBeGreaterThan(askedAt + 50);
  });

  it('are not made without a tracer, even where OpenTelemetry is registered (R59)', async () => {
    await using agent = await start([stock(), 'Eight.']);
    const recorded = new Recorded();
    const { error } = await ask(agent.options(traced(recorded, { tracer: undefined })));
    expect(error).toBeUndefined();
    expect(recorded.names()).toEqual(['look up hammer']);
  });
});
