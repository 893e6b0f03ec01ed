/** The spans of the real CLI, exported as OTLP to a receiver here, are in our trace and below our spans (R59, fact 4). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, createSession, type Options, tool } from '../../src/index.js';
import { otel } from '../../src/otel/index.js';
import { toolUse } from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { waitUntil } from '../support/real-cli.js';
import { Recorded, registerContext } from './support.js';

interface OtlpSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
}

type Value = { stringValue?: string; intValue?: string | number; doubleValue?: number; boolValue?: boolean };

let server: Server;
let url: string;
const bodies: { path: string; body: Record<string, unknown> }[] = [];

beforeAll(async () => {
  registerContext();
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    bodies.push({ path: request.url ?? '', body: text === '' ? {} : JSON.parse(text) });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => void bodies.splice(0));
afterAll(() => new Promise((resolve) => server.close(resolve)));

function received(): OtlpSpan[] {
  type Spans = { resourceSpans?: { scopeSpans: { spans: (OtlpSpan & { attributes: unknown })[] }[] }[] };
  return bodies
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => (body as Spans).resourceSpans ?? [])
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map((span) => ({
      ...span,
      attributes: plain(span.attributes as unknown as { key: string; value: Value }[]),
    }));
}

function plain(list: readonly { key: string; value: Value }[]): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue,
    ]),
  );
}

const STOCK = 'mcp__shop__stock';
const shop = () =>
  createSdkMcpServer({
    name: 'shop',
    tools: [tool('stock', 'How many.', { product: z.string() }, async () => 'eight')],
  });

const telemetry = () => ({
  CLAUDE_CODE_ENABLE_TELEMETRY: '1',
  CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
  OTEL_TRACES_EXPORTER: 'otlp',
  OTEL_LOGS_EXPORTER: 'none',
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_BSP_SCHEDULE_DELAY: '100',
});

const [cli, runtime] = BACK_ENDS as [(typeof BACK_ENDS)[0], (typeof BACK_ENDS)[0]];

function traced(recorded: Recorded, more: Options = {}): Options {
  return {
    tracer: otel({ ...recorded.providers, agentName: 'clerk' }),
    mcpServers: { shop: shop() },
    allowedTools: [STOCK],
    ...more,
  };
}

describe('the spans of the CLI', () => {
  it('are below our turn: one trace, parents joined, calls joined by their id (R59)', async () => {
    await using agent = await cli.start([toolUse(STOCK, { product: 'hammer' }), 'Eight.']);
    const recorded = new Recorded();
    await ask(agent.options(traced(recorded, { env: telemetry() })));
    await waitUntil(() => received().some(({ name }) => name === 'claude_code.interaction'), {
      what: 'the span of the whole interaction',
    });
    const turn = recorded.span('invoke_agent clerk');
    const theirs = received();
    expect(new Set(theirs.map(({ traceId }) => traceId))).toEqual(new Set([turn.spanContext().traceId]));
    const ids = new Set(theirs.map(({ spanId }) => spanId));
    const top = theirs.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''));
    expect(top.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['claude_code.interaction', turn.spanContext().spanId],
    ]);
    const call = recorded.span(`execute_tool ${STOCK}`);
    const theirCall = theirs.find(({ name }) => name === 'claude_code.tool');
    expect(theirCall?.attributes.tool_use_id).toBe(call.attributes['gen_ai.tool.call.id']);
    expect(theirCall?.attributes['session.id']).toBe(call.attributes['gen_ai.conversation.id']);
  });

  it('of a session are below its start, in the trace of its turns (R59)', async () => {
    await using agent = await cli.start(['One.', 'Two.']);
    const recorded = new Recorded();
    const session = createSession(agent.options(traced(recorded, { env: telemetry() })));
    await session.ask('First.');
    await session.ask('Second.');
    await session.close();
    const interactions = () => received().filter(({ name }) => name === 'claude_code.interaction');
    await waitUntil(() => interactions().length === 2, { what: 'both interactions' });
    const created = recorded.span('create_agent clerk');
    expect(interactions().map(({ parentSpanId }) => parentSpanId)).toEqual([
      created.spanContext().spanId,
      created.spanContext().spanId,
    ]);
    expect(recorded.traceIds()).toEqual(new Set(received().map(({ traceId }) => traceId)));
  });
});

describe('our spans of tools that the CLI runs itself', () => {
  it('are made of its frames, and begin when somebody has permitted the call (R59)', async () => {
    await using agent = await cli.start([
      toolUse('Bash', { command: 'touch made.txt', description: 'x' }),
      'Done.',
    ]);
    const recorded = new Recorded();
    let askedAt = 0;
    await ask(
      agent.options(
        traced(recorded, {
          canUseTool: async (_, input) => {
            askedAt = Date.now();
            await waitUntil(() => Date.now() > askedAt + 100, { what: 'somebody to think about it' });
            return { behavior: 'allow', updatedInput: input };
          },
        }),
      ),
    );
    const call = recorded.span('execute_tool Bash');
    expect(call.attributes).toMatchObject({ 'gen_ai.tool.type': 'extension' });
    expect(call.attributes).not.toHaveProperty('mcp.method.name');
    expect(call.parentSpanContext?.spanId).toBe(recorded.span('invoke_agent clerk').spanContext().spanId);
    const [seconds, nanoseconds] = call.startTime;
    expect(seconds * 1000 + nanoseconds / 1e6).toBeGreaterThan(askedAt + 50);
  });
});

describe.each([cli, runtime])('our spans and metrics of $name', ({ start }) => {
  it('reach a collector by the real exporters of OpenTelemetry (R59)', async () => {
    await using agent = await start([toolUse(STOCK, { product: 'hammer' }), 'Eight.']);
    const recorded = new Recorded(new OTLPTraceExporter({ url: `${url}/v1/traces` }));
    const reader = new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter({ url: `${url}/v1/metrics` }),
      exportIntervalMillis: 2 ** 30,
    });
    const meterProvider = new MeterProvider({ readers: [reader] });
    const tracer = otel({ tracerProvider: recorded.tracerProvider, meterProvider });
    await ask(agent.options(traced(recorded, { tracer })));
    await recorded.tracerProvider.forceFlush();
    await meterProvider.shutdown();
    expect(
      received()
        .map(({ spanId }) => spanId)
        .sort(),
    ).toEqual(
      recorded
        .spans()
        .map((span) => span.spanContext().spanId)
        .sort(),
    );
    const sent = JSON.stringify(bodies.filter(({ path }) => path === '/v1/metrics'));
    for (const metric of [
      'gen_ai.client.operation.duration',
      'gen_ai.client.token.usage',
      'gen_ai.execute_tool.duration',
      'mcp.server.operation.duration',
    ])
      expect(sent).toContain(`"${metric}"`);
  });
});
