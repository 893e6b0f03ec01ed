import type { Attributes, Tracer } from '@opentelemetry/api';
import { LIMITS } from '../protocol/base/limits.js';
import type { Metrics } from './metrics.js';
import { type OperationStart, type SpanClock, SpanOperation } from './operation.js';
import type { OtelContent } from './options.js';

/** What all spans of one conversation have in common. */
export class TraceSetting {
  readonly metrics: Metrics;
  readonly content: Required<OtelContent>;
  readonly time: SpanClock;
  readonly #tracer: Tracer;
  readonly #report: (error: unknown) => void;
  readonly #hide: (text: string) => string;
  /** Attributes of every span: they become known one after the other. */
  readonly #common: Attributes = {};

  constructor(given: {
    tracer: Tracer;
    metrics: Metrics;
    content: Required<OtelContent>;
    time: SpanClock;
    report: (error: unknown) => void;
    hide: (text: string) => string;
  }) {
    this.#tracer = given.tracer;
    this.metrics = given.metrics;
    this.content = given.content;
    this.time = given.time;
    this.#report = given.report;
    this.#hide = given.hide;
  }

  get common(): Readonly<Attributes> {
    return this.#common;
  }

  learn(attributes: Attributes): void {
    Object.assign(this.#common, attributes);
  }

  start(start: OperationStart): SpanOperation {
    const attributes = { ...this.#common, ...start.attributes };
    return new SpanOperation(this.#tracer, this.time, { ...start, attributes });
  }

  /** Content as one text, without secrets and of bounded length. */
  text(value: unknown): string {
    return boundedText(this.#hide(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')));
  }

  /** For what runs later, where nobody else would catch what it throws. */
  safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#report(error);
    }
  }
}

function boundedText(text: string): string {
  const { spanContentChars: most } = LIMITS;
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} characters more)`;
}
