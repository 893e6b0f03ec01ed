/** What tests of spans and metrics need: real providers of OpenTelemetry that keep everything in memory, and ways to read it. */
import { type Span as ApiSpan, context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect } from 'vitest';

/** Registers what a program registers: a context manager and the propagators of W3C. Once per test file. */
export function registerContext(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
}

/** Counts starts and ends, to see that every span ends exactly once. */
class Ledger implements SpanProcessor {
  readonly started: ApiSpan[] = [];
  readonly ended: ReadableSpan[] = [];
  /** Every call of `end`: the SDK itself ignores all but the first. */
  ends = 0;

  onStart(span: ApiSpan): void {
    this.started.push(span);
    const end = span.end.bind(span);
    span.end = (time) => {
      this.ends += 1;
      end(time);
    };
  }

  onEnd(span: ReadableSpan): void {
    this.ended.push(span);
  }

  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

export class Recorded {
  readonly #ledger = new Ledger();
  readonly tracerProvider: BasicTracerProvider;
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly meterProvider: MeterProvider;
  readonly #reader: PeriodicExportingMetricReader;

  constructor(...exporters: SpanExporter[]) {
    const others = exporters.map((exporter) => new SimpleSpanProcessor(exporter));
    this.tracerProvider = new BasicTracerProvider({ spanProcessors: [this.#ledger, ...others] });
    this.#reader = new PeriodicExportingMetricReader({
      exporter: this.#metrics,
      exportIntervalMillis: 2 ** 30,
    });
    this.meterProvider = new MeterProvider({ readers: [this.#reader] });
  }

  get providers(): { tracerProvider: BasicTracerProvider; meterProvider: MeterProvider } {
    return { tracerProvider: this.tracerProvider, meterProvider: this.meterProvider };
  }

  /** All spans, by their beginning. Fails if one is still open. */
  spans(): ReadableSpan[] {
    const { started, ended } = this.#ledger;
    const open = started.length - ended.length;
    expect(open, `${open} spans have not ended`).toBe(0);
    expect(this.#ledger.ends, 'calls of end()').toBe(started.length);
    return started.map((span) => span as unknown as ReadableSpan);
  }

  names(): string[] {
    return this.spans().map(({ name }) => name);
  }

  span(name: string): ReadableSpan {
    const found = this.spans().filter((span) => span.name === name);
    expect(found.map((span) => span.name)).toEqual([name]);
    return found[0] as ReadableSpan;
  }

  /** Who is whose child, as a text: `a(b(c) d)`. */
  tree(): string {
    const spans = this.spans();
    const ids = new Set(spans.map((span) => span.spanContext().spanId));
    const below = (parent: string | undefined): string =>
      spans
        .filter((span) => {
          const id = span.parentSpanContext?.spanId;
          return parent === undefined ? id === undefined || !ids.has(id) : id === parent;
        })
        .map((span) => {
          const inside = below(span.spanContext().spanId);
          return inside === '' ? span.name : `${span.name}(${inside})`;
        })
        .join(' + ');
    return below(undefined);
  }

  /** The same, without the names of models. */
  shape(): string {
    return this.tree().replaceAll(/chat [^\s()]+/g, 'chat');
  }

  traceIds(): Set<string> {
    return new Set(this.spans().map((span) => span.spanContext().traceId));
  }

  /** The points of one metric: their attributes, count and sum. */
  async points(
    metric: string,
  ): Promise<{ attributes: Record<string, unknown>; count: number; sum: number }[]> {
    await this.#reader.forceFlush();
    const latest = this.#metrics.getMetrics().at(-1)?.scopeMetrics ?? [];
    return latest
      .flatMap(({ metrics }) => metrics)
      .filter(({ descriptor }) => descriptor.name === metric)
      .flatMap(({ dataPoints }) => dataPoints as readonly DataPoint<unknown>[])
      .map(({ attributes, value }) => {
        const { count, sum } = value as { count: number; sum?: number };
        return { attributes: { ...attributes }, count, sum: sum ?? 0 };
      });
  }

  /** Runs something in a span of the program's own. */
  async inSpan<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
    const span = this.tracerProvider.getTracer('program').startSpan(name);
    try {
      return await context.with(trace.setSpan(context.active(), span), act);
    } finally {
      span.end();
    }
  }
}

export const isWithin = (inner: ReadableSpan, outer: ReadableSpan): boolean =>
  inner.parentSpanContext?.spanId === outer.spanContext().spanId;
