/** A run as a trace for tools that know OpenTelemetry (R57, R59; inspector check 15). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, it } from 'vitest';
import { otlpOf } from '../../../src/observe/run/otlp.js';
import type { Run } from '../../../src/observe/run/run.js';
import { timelineOf } from '../../../src/observe/run/timeline.js';
import { HandTape } from './hand-tape.js';

const run = (): Run =>
  new HandTape()
    .prompt(0)
    .init(100)
    .calls(300, 'msg_1', { toolu_1: 'mcp__shop__stock', toolu_2: 'Agent' })
    .result(700, 'toolu_1', 'no', { is_error: true })
    .text(800, 'msg_2', 'Found.', 'toolu_2')
    .result(850, 'toolu_2')
    .text(900.25, 'msg_3', 'Eight.')
    .end(1000)
    .run();

const spansOf = (given: Run) => otlpOf(given).resourceSpans[0]?.scopeSpans[0]?.spans ?? [];

it('is the tree of the timeline, with the names of tenon/otel and the times of the tape (inspector check 15)', () => {
  const spans = spansOf(run());
  const shown = timelineOf(run()).spans;
  const place = (id: string | undefined) => spans.findIndex(({ spanId }) => spanId === id);
  expect(spans.map(({ parentSpanId }) => place(parentSpanId))).toEqual(
    shown.map(({ parent }) => shown.findIndex(({ id }) => id === parent)),
  );
  expect(spans.map(({ name }) => name)).toEqual([
    'invoke_agent',
    'chat m',
    'invoke_agent Agent',
    'execute_tool mcp__shop__stock',
    'chat m',
    'chat m',
  ]);
  const began = BigInt(Date.parse('2026-11-18T12:00:00.000Z')) * 1_000_000n;
  const times = spans.map(({ startTimeUnixNano: from, endTimeUnixNano: to }) => [
    Number(BigInt(from) - began) / 1e6,
    Number(BigInt(to) - began) / 1e6,
  ]);
  expect(times).toEqual(shown.map(({ start, end }) => [start, end]));
  expect(spans[3]?.status.code).toBe(SpanStatusCode.ERROR);
});

it('has ids of the right length that are the same for the same tape, and differ otherwise (R57)', () => {
  const spans = spansOf(run());
  expect(spans).toEqual(spansOf(run()));
  for (const { traceId, spanId } of spans) {
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
  }
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  const other = new HandTape({ conversation: 'another' }).prompt(0).end(1).run();
  expect(spansOf(other)[0]?.traceId).not.toBe(spans[0]?.traceId);
});

it("has the fields of what OpenTelemetry's own exporter sends, and nothing else (R59)", async () => {
  const theirs = await exportedByOpenTelemetry();
  const ours = JSON.parse(JSON.stringify(otlpOf(run())));
  const known = new Set(pathsOf(theirs));
  // Large numbers are texts in OTLP/JSON; the exporter of JavaScript writes them as numbers, and receivers take both.
  expect([...new Set(pathsOf(ours))].filter((path) => !known.has(path))).toEqual([]);
});

/** What the real packages make of a trace with one span in another. */
async function exportedByOpenTelemetry(): Promise<unknown> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
    const provider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter({ url }))],
    });
    const tracer = provider.getTracer('tenon', '1');
    const outer = tracer.startSpan('outer', { attributes: { text: 'x', count: '1', share: 0.5, is: true } });
    const { ROOT_CONTEXT } = await import('@opentelemetry/api');
    const inner = tracer.startSpan('inner', {}, trace.setSpan(ROOT_CONTEXT, outer));
    inner.setAttribute('count', 1);
    inner.setStatus({ code: SpanStatusCode.ERROR, message: 'no' }).end();
    outer.end();
    await provider.shutdown();
    return bodies.map((body) => JSON.parse(body));
  } finally {
    server.close();
  }
}

/** The places of a value, without indexes, and what is there. */
function pathsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, path));
  if (typeof value !== 'object' || value === null)
    return [`${path}: ${path.endsWith('.intValue') ? 'number' : typeof value}`];
  return Object.entries(value).flatMap(([name, item]) => pathsOf(item, `${path}.${name}`));
}
