import { clock } from '../../protocol/base/clock.js';

/**
 * The events of a stream until the signal is aborted, even if the model ignores the signal. At the end,
 * `took` is told how long that was.
 */
export function abortable<Event>(
  events: AsyncIterable<Event>,
  signal: AbortSignal,
  took: (milliseconds: number) => void,
): AsyncIterableIterator<Event, void> {
  return new AbortableEvents(events, signal, took);
}

type Result<Event> = IteratorResult<Event, void>;

/** One listener for the whole stream, and one promise for each event: of long answers there are thousands. */
class AbortableEvents<Event> implements AsyncIterableIterator<Event, void> {
  readonly #events: AsyncIterable<Event>;
  readonly #signal: AbortSignal;
  readonly #took: (milliseconds: number) => void;
  #iterator: AsyncIterator<Event> | undefined;
  #started = 0;
  #isOver = false;
  /** Rejects what is waited for. */
  #reject: ((reason: unknown) => void) | undefined;

  constructor(events: AsyncIterable<Event>, signal: AbortSignal, took: (milliseconds: number) => void) {
    this.#events = events;
    this.#signal = signal;
    this.#took = took;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<Event>> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#signal.aborted) return this.#aborted();
      if (this.#isOver) return resolve({ done: true, value: undefined });
      const failed = (error: unknown): void => {
        this.#end();
        reject(error);
      };
      try {
        this.#begun()
          .next()
          .then((result) => {
            if (result.done === true) this.#end();
            resolve(result);
          }, failed);
      } catch (error) {
        failed(error);
      }
    });
  }

  async return(): Promise<Result<Event>> {
    this.#leave();
    return { done: true, value: undefined };
  }

  #begun(): AsyncIterator<Event> {
    if (this.#iterator !== undefined) return this.#iterator;
    this.#started = clock.monotonic();
    this.#signal.addEventListener('abort', this.#aborted, { once: true });
    this.#iterator = this.#events[Symbol.asyncIterator]();
    return this.#iterator;
  }

  readonly #aborted = (): void => {
    this.#leave();
    this.#reject?.(this.#signal.reason);
  };

  /** Not awaited, because a generator that hangs would not end here either. */
  #leave(): void {
    if (this.#isOver) return;
    const iterator = this.#iterator;
    this.#end();
    (async () => iterator?.return?.())().catch(() => {});
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signal.removeEventListener('abort', this.#aborted);
    if (this.#iterator !== undefined) this.#took(clock.monotonic() - this.#started);
  }
}
