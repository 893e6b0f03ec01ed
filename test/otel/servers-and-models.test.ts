/** The trace goes on to MCP servers, and what models do is seen once (R59, fact 5). */
import { fileURLToPath } from 'node:url';
import Anthropic from '@anthropic-ai/sdk';
import { context, createTraceState, propagation, trace } from '@opentelemetry/api';
import { beforeAll, describe, expect, it } from 'vitest';
import { type McpServerConfig, type Options, proxyMcpServer } from '../../src/index.js';
import { anthropic } from '../../src/models/anthropic/anthropic.js';
import { otel } from '../../src/otel/index.js';
import { embedded, type Model } from '../../src/runtime/index.js';
import { apiError, scriptedMessagesApi, scriptedModel, toolUse } from '../../src/testing/index.js';
import { ask, BACK_ENDS, type BackEnd, resultsOf } from '../support/back-ends.js';
import { sandbox } from '../support/real-cli.js';
import { Recorded, registerContext } from './support.js';

beforeAll(registerContext);

const program = fileURLToPath(new URL('../fixtures/mcp/tells-meta.mjs', import.meta.url));
const config = { command: process.execPath, args: [program] };
const TELL = 'mcp__far__tell';

const headerOf = (recorded: Recorded, name: string): string => {
  const { traceId, spanId } = recorded.span(name).spanContext();
  return `00-${traceId}-${spanId}-01`;
};

async function told(
  start: BackEnd['start'],
  server: McpServerConfig,
  options: Options,
): Promise<Record<string, string>> {
  await using agent = await start([toolUse(TELL), 'Done.']);
  const { messages, error } = await ask(
    agent.options({ mcpServers: { far: server }, allowedTools: [TELL], mcpReady: true, ...options }),
  );
  expect(error).toBeUndefined();
  return JSON.parse(resultsOf(messages)[0] ?? 'null');
}

describe.each(BACK_ENDS)('a call by $name', ({ start }) => {
  it('through a proxy tells the server of its execute_tool span, state and baggage (R59)', async () => {
    const recorded = new Recorded();
    const state = {
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      traceFlags: 1,
      traceState: createTraceState('a=1'),
    };
    const outside = propagation.setBaggage(
      trace.setSpanContext(context.active(), state),
      propagation.createBaggage({ user: { value: 'me' } }),
    );
    const said = await context.with(outside, () =>
      told(start, proxyMcpServer(config, { name: 'far' }), { tracer: otel(recorded.providers) }),
    );
    expect(said).toEqual({
      traceparent: headerOf(recorded, `execute_tool ${TELL}`),
      tracestate: 'a=1',
      baggage: 'user=me',
    });
  });

  it('through a proxy tells the server of the active span without a tracer, too (R59)', async () => {
    const recorded = new Recorded();
    const said = await recorded.inSpan('request', () =>
      told(start, proxyMcpServer(config, { name: 'far' }), {}),
    );
    expect(said).toEqual({ traceparent: headerOf(recorded, 'request') });
  });

  it('adds nothing where no span is active (R59)', async () => {
    expect(await told(start, proxyMcpServer(config, { name: 'far' }), {})).toEqual({});
  });
});

describe('a call to an external server', () => {
  it('by the embedded runtime tells it of the execute_tool span (R59)', async () => {
    const recorded = new Recorded();
    const { start } = BACK_ENDS[1] as BackEnd;
    const said = await told(start, config, { tracer: otel(recorded.providers) });
    expect(said).toEqual({ traceparent: headerOf(recorded, `execute_tool ${TELL}`) });
    const call = recorded.span(`execute_tool ${TELL}`);
    expect(call.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'tenon.mcp.server.name': 'far',
    });
    expect(await recorded.points('mcp.client.operation.duration')).toHaveLength(1);
    expect(await recorded.points('mcp.server.operation.duration')).toEqual([]);
  });
});

describe('a model', () => {
  const run = async (recorded: Recorded, model: Model): Promise<void> => {
    await using box = sandbox();
    const { error } = await ask({
      runtime: embedded({ model }),
      tracer: otel({ ...recorded.providers, agentName: 'clerk' }),
      cwd: box.cwd,
      env: box.env(),
    });
    expect(error).toBeUndefined();
  };

  it('that makes spans itself is seen once: ours are not doubles, and theirs are within the turn (fact 5)', async () => {
    await using api = await scriptedMessagesApi(['Hello.']);
    const recorded = new Recorded();
    const { tracerProvider } = recorded;
    const given = { apiKey: 'key', baseURL: api.url, openTelemetry: { tracerProvider } };
    const client = new Anthropic(given);
    await run(recorded, anthropic({ client, model: 'claude-haiku-5-5' }));
    expect(recorded.tree()).toBe('invoke_agent clerk(anthropic.messages.create)');
    const tokens = await recorded.points('gen_ai.client.token.usage');
    expect(tokens.map(({ attributes }) => attributes['gen_ai.token.type'])).toEqual(['input', 'output']);
  });

  it('that makes none has ours: with a client whose spans are off, and with our own (fact 5)', async () => {
    await using api = await scriptedMessagesApi(['Hello.', 'Hello.']);
    const [given, model] = [{ apiKey: 'key', baseURL: api.url }, 'claude-haiku-5-5'];
    const client = new Anthropic({ ...given, openTelemetry: false });
    const cases: [Model, string | undefined][] = [
      // Whose platform a client is for is known by its address only.
      [anthropic({ client, model }), undefined],
      [anthropic({ ...given, model }), 'anthropic'],
    ];
    for (const [made, provider] of cases) {
      const recorded = new Recorded();
      await run(recorded, made);
      expect(recorded.tree()).toBe(`invoke_agent clerk(chat ${model})`);
      const { attributes } = recorded.span(`chat ${model}`);
      expect(attributes['gen_ai.provider.name']).toBe(provider);
      expect(attributes).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': model,
        'gen_ai.request.max_tokens': expect.any(Number),
        'gen_ai.response.id': expect.stringMatching(/^msg_/),
        'gen_ai.response.finish_reasons': ['end_turn'],
        'gen_ai.response.time_to_first_chunk': expect.any(Number),
        'gen_ai.usage.output_tokens': expect.any(Number),
      });
    }
  });

  it('works in the context of its span: what it does itself is below it (R59)', async () => {
    const recorded = new Recorded();
    const scripted = scriptedModel(['Hello.']);
    const model: Model = {
      name: 'mine',
      stream: (request, asked) => {
        recorded.tracerProvider.getTracer('mine').startSpan('fetch').end();
        return scripted.stream(request, asked);
      },
    };
    await run(recorded, model);
    expect(recorded.tree()).toBe('invoke_agent clerk(chat mine(fetch))');
  });

  it('that fails and is asked again has one span for what it was asked (R59)', async () => {
    await using api = await scriptedMessagesApi([apiError(529, 'overloaded_error', 'Busy.'), 'Hello.']);
    const recorded = new Recorded();
    await run(recorded, anthropic({ apiKey: 'key', baseURL: api.url, model: 'claude-haiku-5-5' }));
    expect(recorded.tree()).toBe('invoke_agent clerk(chat claude-haiku-5-5)');
  });
});
