import { TenonError } from '../../protocol/base/errors.js';
import type { SDKUserMessage } from '../../protocol/wire/messages/index.js';

/** An async iterable to push messages into. */
export class Outbox implements AsyncIterable<SDKUserMessage> {
  readonly #waiting: SDKUserMessage[] = [];
  #wake: () => void = () => {};
  #onWritten: (() => void)[] = [];
  #isTaking = false;
  #ended = false;

  push(message: SDKUserMessage): void {
    if (this.#ended) throw new TenonError('INPUT_CLOSED', 'The session is closed.');
    this.#waiting.push(message);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
    this.#tellWritten();
  }

  /** Resolves when all that was pushed is on its way to the agent: what is sent then arrives after it. */
  async written(): Promise<void> {
    if (this.#ended || (this.#waiting.length === 0 && !this.#isTaking)) return;
    await new Promise<void>((resolve) => {
      this.#onWritten.push(resolve);
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage, void> {
    for (;;) {
      const message = this.#waiting.shift();
      this.#isTaking = message !== undefined;
      // Who asks for the next one has written this one.
      if (message !== undefined) yield message;
      else if (this.#ended) return;
      else {
        this.#tellWritten();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #tellWritten(): void {
    for (const tell of this.#onWritten.splice(0)) tell();
  }
}
