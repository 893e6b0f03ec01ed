import type { Writable } from 'node:stream';

/** Longer lines are written immediately: joining them to others would copy them. */
const LONG_LINE = 16_384;

/**
 * Combines lines sent in the same tick into one write: with many calls in flight, one system call each adds
 * up.
 */
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
    // Runs after everything that is ready now, and so after every handler that has finished.
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
