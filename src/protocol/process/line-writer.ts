import type { Writable } from 'node:stream';

/** Longer lines are written at once: joining them to others would copy them. */
const LONG_LINE = 16_384;

/** Writes what is sent in one go as one piece: with 64 calls in flight a system call for each answer was a tenth of the host's time. */
export class LineWriter {
  readonly #stream: Writable;
  #pending = '';

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** False when the reader is behind. */
  write(line: string): boolean {
    if (line.length > LONG_LINE) {
      this.flush();
      return this.#stream.write(`${line}\n`);
    }
    // After all that is ready to run now, and so after every handler that is done.
    if (this.#pending === '') process.nextTick(() => this.flush());
    this.#pending += `${line}\n`;
    return this.#stream.writableLength + this.#pending.length < this.#stream.writableHighWaterMark;
  }

  flush(): void {
    if (this.#pending === '') return;
    const text = this.#pending;
    this.#pending = '';
    if (this.#stream.writable) this.#stream.write(text);
  }
}
