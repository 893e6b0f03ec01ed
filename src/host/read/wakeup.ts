import { clock } from '../../protocol/base/clock.js';

/** A wait that may be over before it begins: what happens while nobody waits is not missed. */
export class Wakeup {
  #isDue = false;
  #isOver = false;
  #isComing = false;
  #resume: () => void = () => {};
  #give: () => void = () => {};
  #signal: AbortSignal | undefined;
  readonly #abort = (): void => this.end();

  /** From here on the signal is the end, too. */
  follow(signal: AbortSignal | undefined): void {
    this.#signal = signal;
    if (signal?.aborted) this.end();
    else signal?.addEventListener('abort', this.#abort, { once: true });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** After what happens right now: who has made the change has something to say of it, too. */
  wake(): void {
    if (this.#isComing || this.#isDue || this.#isOver) return;
    this.#isComing = true;
    clock.setImmediate(() => {
      this.#isComing = false;
      this.#isDue = true;
      this.#resume();
    });
  }

  /** Resolves with the next change, or at the end. */
  async next(): Promise<void> {
    if (!this.#isDue && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
    this.#isDue = false;
  }

  /** What something comes to; undefined if the end comes first. */
  until<Result>(work: Promise<Result>): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      work.then(resolve, reject);
      this.#give = () => resolve(undefined);
      if (this.#isOver) this.#give();
    });
  }

  end(): void {
    this.#isOver = true;
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#resume();
    this.#give();
  }
}

/**
 * A loop that ends when it is told to, also while it waits: a generator by itself hears of `return()` only when its next value
 * has come, which may be never.
 */
export function endable<Value>(
  loop: AsyncGenerator<Value, void>,
  wakeup: Wakeup,
): AsyncGenerator<Value, void> {
  const leave = loop.return.bind(loop);
  loop.return = (value) => {
    wakeup.end();
    return leave(value);
  };
  return loop;
}
