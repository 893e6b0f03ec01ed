import { clock } from '../../protocol/base/clock.js';

/** A wait that may be over before it begins: what happens while nobody waits is not missed. */
export class Wakeup {
  #isDue = false;
  #isOver = false;
  #resolve: () => void = () => {};
  readonly #signal: AbortSignal | undefined;
  readonly #abort = (): void => this.end();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    if (signal?.aborted) this.#isOver = true;
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** After what happens right now: who has made the change has something to say of it, too. */
  wake(): void {
    clock.setImmediate(() => {
      this.#isDue = true;
      this.#resolve();
    });
  }

  /** Resolves with the next change, or at the end. */
  async next(): Promise<void> {
    if (!this.#isDue && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
      });
    }
    this.#isDue = false;
  }

  end(): void {
    this.#isOver = true;
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#resolve();
  }
}
