import {
  type Attributes,
  type Context,
  type Link,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { clock } from '../protocol/base/clock.js';
import { ATTRIBUTE, type Operation } from './names.js';

/** The time as spans want it: milliseconds since 1970, with fractions, never going back. */
export class SpanClock {
  readonly #began = clock.now() - clock.monotonic();

  now(): number {
    return this.#began + clock.monotonic();
  }
}

export interface OperationStart {
  readonly operation: Operation;
  /** What the operation is done to: an agent, a tool, a model. */
  readonly subject: string | undefined;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly parent: Context;
  readonly links?: Link[] | undefined;
  /** Default: now. */
  readonly at?: number | undefined;
}

/** One span, which ends once. */
export class SpanOperation {
  readonly span: Span;
  /** In which it is the active span. */
  readonly context: Context;
  readonly startedAt: number;
  readonly #time: SpanClock;
  /** Spans of the program are timed by the provider's clock: ours is used only where the past is meant. */
  readonly #isTimed: boolean;
  #isEnded = false;

  constructor(tracer: Tracer, time: SpanClock, start: OperationStart) {
    const { operation, subject, kind, attributes, parent, links, at } = start;
    this.#time = time;
    this.#isTimed = at !== undefined;
    this.startedAt = at ?? time.now();
    this.span = tracer.startSpan(
      subject === undefined ? operation : `${operation} ${subject}`,
      {
        kind,
        ...(at === undefined ? {} : { startTime: at }),
        attributes: { [ATTRIBUTE.operation]: operation, ...attributes },
        ...(links === undefined ? {} : { links }),
      },
      parent,
    );
    this.context = trace.setSpan(parent, this.span);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  set(attributes: Attributes): void {
    if (!this.#isEnded) this.span.setAttributes(attributes);
  }

  /** Returns how long it took in milliseconds, or undefined if it had ended before. `detail` may be content. */
  end(errorType?: string, detail?: string): number | undefined {
    if (this.#isEnded) return undefined;
    this.#isEnded = true;
    if (errorType !== undefined) {
      this.span.setAttribute(ATTRIBUTE.errorType, errorType);
      this.span.setStatus({
        code: SpanStatusCode.ERROR,
        ...(detail === undefined ? {} : { message: detail }),
      });
    }
    const now = this.#time.now();
    if (this.#isTimed) this.span.end(now);
    else this.span.end();
    return now - this.startedAt;
  }
}
