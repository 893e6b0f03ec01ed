import type { StreamEvent } from '../../protocol/wire/content.js';
import { ModelError } from '../../runtime/model.js';
import type { AnswerWriter } from './answer.js';
import type { StreamPart } from './specification.js';

type Result = IteratorResult<StreamEvent, void>;

/**
 * A provider's stream as events, one after the other. Leaving early cancels the stream. By a reader, because not every
 * platform can iterate over a stream, and not a generator, in which every event would wait several times.
 */
export class AnswerEvents implements AsyncIterableIterator<StreamEvent, void> {
  readonly #reader: ReadableStreamDefaultReader<unknown>;
  readonly #answer: AnswerWriter;
  #isDone = false;

  constructor(stream: ReadableStream<unknown>, answer: AnswerWriter) {
    this.#reader = stream.getReader();
    this.#answer = answer;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Result> {
    const answer = this.#answer;
    try {
      for (;;) {
        const event = answer.take();
        if (event !== undefined) return { done: false, value: event };
        if (this.#isDone) return { done: true, value: undefined };
        const { done, value } = await this.#reader.read();
        if (!done) answer.write(value as StreamPart);
        else this.#end();
      }
    } catch (error) {
      this.#cancel();
      throw error;
    }
  }

  async return(): Promise<Result> {
    this.#cancel();
    return { done: true, value: undefined };
  }

  #end(): void {
    this.#isDone = true;
    if (!this.#answer.isFinished) throw new ModelError("The model's stream ended before its answer did.");
  }

  #cancel(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    void this.#reader.cancel().catch(() => {});
  }
}
