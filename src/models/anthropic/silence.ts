import { clock, type Timer } from '../../protocol/base/clock.js';

/**
 * Aborts a request when nothing has come for too long, or when nobody waits any more. One timer for the whole answer: a
 * long one has thousands of pieces.
 */
export class Silence {
  hasPassed = false;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #longest: number;
  readonly #abort = (): void => this.#controller.abort(this.#outer?.reason);
  #last = clock.monotonic();
  #timer: Timer | undefined;

  constructor(outer: AbortSignal | undefined, longestMs: number) {
    this.#outer = outer;
    this.#longest = longestMs;
    if (outer?.aborted) this.#abort();
    else outer?.addEventListener('abort', this.#abort, { once: true });
    this.#watch(longestMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Nobody waits any more. */
  get isAborted(): boolean {
    return this.#outer?.aborted === true;
  }

  /** Something has come. */
  broken(): void {
    this.#last = clock.monotonic();
  }

  end(): void {
    clock.clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }

  #watch(milliseconds: number): void {
    this.#timer = clock.setTimeout(() => {
      const left = this.#last + this.#longest - clock.monotonic();
      if (left > 0) return this.#watch(left);
      this.hasPassed = true;
      this.#controller.abort(new Error('silence'));
    }, milliseconds);
  }
}
