// One open stream of events (text/event-stream) to one reader. Nothing is read ahead but the next event: what a slow
// reader does not take stays where it is stored.

import { clock, type Timer, unref } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';

export interface EventStreamOptions {
  /** The stream, as text that can be sent. It ends with the signal, and opens what it reads before its first word. */
  source: (signal: AbortSignal) => AsyncGenerator<string, void>;
  /** Ends the stream when the reader goes away. */
  signal: AbortSignal;
  slowReaderMs: number;
  /** The last that a reader is sent who was too slow, or whose source has failed. */
  lastWords: (reason: 'slow' | 'failed') => string;
  onFailure: (error: unknown) => void;
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // For nginx, which would collect what is small.
  'x-accel-buffering': 'no',
};

/** Rejects if the source cannot even be opened. */
export async function eventStreamResponse(
  options: EventStreamOptions,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const stream = new EventStream(options);
  await stream.open();
  // 0: nothing is asked for before the reader asks.
  const body = new ReadableStream<Uint8Array>(stream, { highWaterMark: 0 });
  return new Response(body, { headers: { ...HEADERS, ...headers } });
}

/** Rejects if the promise is rejected now; else it is left alone, however long it takes. */
export async function failsAtOnce(promise: Promise<unknown>): Promise<void> {
  promise.catch(() => {});
  await Promise.race([promise, new Promise<void>((resolve) => clock.setImmediate(resolve))]);
}

/** An event as it is sent. JSON has no line breaks. */
export function eventText(data: unknown, id?: number | string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** Comes first: what is silent at the beginning, some proxies hold back. */
const OPENING = `retry: ${LIMITS.streamRetryAfterMs}\n\n`;

type Arrival = IteratorResult<string, void> | { failed: unknown };

/** The underlying source of a `ReadableStream`. */
class EventStream {
  readonly #options: EventStreamOptions;
  readonly #leaving = new AbortController();
  readonly #encoder = new TextEncoder();
  readonly #source: AsyncGenerator<string, void>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** The next event, which waits for the reader. */
  #arrived: Arrival | undefined;
  /** The reader waits for the next event. */
  #wake: (() => void) | undefined;
  #slowTimer: Timer | undefined;
  #isOver = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#source = options.source(this.#leaving.signal);
  }

  async open(): Promise<void> {
    const { signal } = this.#options;
    signal.addEventListener('abort', this.#leave, { once: true });
    if (signal.aborted) return this.#stop();
    try {
      await failsAtOnce(this.#readNext());
    } catch (error) {
      this.#stop();
      throw error;
    }
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    if (this.#isOver) controller.close();
    else this.#send(OPENING);
  }

  /** The reader is ready for more. */
  async pull(): Promise<void> {
    clock.clearTimeout(this.#slowTimer);
    if (this.#arrived === undefined) await this.#arrivalOrHeartbeat();
    if (this.#isOver) return;
    const arrived = this.#arrived;
    if (arrived === undefined) return this.#send(': still here\n\n');
    this.#arrived = undefined;
    if ('failed' in arrived) return this.#fail(arrived.failed);
    if (arrived.done) return this.#end();
    this.#send(arrived.value);
    void this.#readNext();
  }

  cancel(): void {
    this.#stop();
  }

  #readNext(): Promise<unknown> {
    const next = this.#source.next();
    next.then(
      (result) => this.#arrive(result),
      (failed: unknown) => this.#arrive({ failed }),
    );
    return next;
  }

  #arrive(arrival: Arrival): void {
    if (this.#isOver) return;
    this.#arrived = arrival;
    if (this.#wake === undefined) {
      this.#slowTimer = unref(clock.setTimeout(() => this.#cutOff(), this.#options.slowReaderMs));
    } else this.#wake();
  }

  #arrivalOrHeartbeat(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        clock.clearTimeout(timer);
        resolve();
      };
      const timer = unref(clock.setTimeout(this.#wake, LIMITS.hostHeartbeatMs));
    });
  }

  #cutOff(): void {
    if (this.#isOver) return;
    this.#send(this.#options.lastWords('slow'));
    this.#end();
  }

  #fail(error: unknown): void {
    this.#options.onFailure(error);
    this.#send(this.#options.lastWords('failed'));
    this.#end();
  }

  #send(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#stop();
    this.#controller?.close();
  }

  /** The request was given up. The body may have been, too, or not; an error of it would interest nobody. */
  readonly #leave = (): void => this.#end();

  #stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clock.clearTimeout(this.#slowTimer);
    this.#options.signal.removeEventListener('abort', this.#leave);
    this.#leaving.abort();
    // What it fails with now concerns nobody.
    this.#source.return().catch(() => {});
    this.#wake?.();
  }
}
