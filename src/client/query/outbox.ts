import { TenonError } from '../../protocol/base/errors.js';
import type { SDKUserMessage } from '../../protocol/wire/messages/index.js';

/** An async iterable to push messages into. */
export class Outbox implements AsyncIterable<SDKUserMessage> {
  readonly #waiting: SDKUserMessage[] = [];
  #wake: () => void = () => {};
  #ended = false;

  push(message: SDKUserMessage): void {
    if (this.#ended) throw new TenonError('INPUT_CLOSED', 'The session is closed.');
    this.#waiting.push(message);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage, void> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) yield message;
      else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
