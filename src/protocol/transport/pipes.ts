// What goes through the pipes of a process: lines in, lines out, and whatever it writes to stderr.

import type { Writable } from 'node:stream';
import { LIMITS } from '../base/limits.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const HEAD_BYTES = 200;

export interface LineReceiver {
  line(text: string, byteLength: number): void;
  /**
   * A line was dropped: it is longer than the limit, or than a string can be. The next one is read as usual.
   */
  oversized(byteLength: number, head: string): void;
  /** The current line has just become longer than the limit; it may never end. */
  readonly exceeded?: (() => void) | undefined;
}

/**
 * Bytes in, lines out. It works on bytes, so chunks may split a UTF-8 sequence, and joins the parts of a long
 * line once, so the cost is linear in its size. There is no limit unless `maxLineBytes` sets one.
 */
export class LineSplitter {
  readonly #receiver: LineReceiver;
  readonly #maxLineBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #discardedHead: string | undefined;

  constructor(receiver: LineReceiver, maxLineBytes: number = Number.POSITIVE_INFINITY) {
    this.#receiver = receiver;
    this.#maxLineBytes = maxLineBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      if (this.#pendingBytes === 0 && at - start <= this.#maxLineBytes) this.#deliver(chunk, start, at);
      else {
        this.#append(chunk.subarray(start, at));
        this.#finishLine();
      }
      start = at + 1;
    }
    if (start < chunk.length) this.#append(chunk.subarray(start));
  }

  /** The end of the stream: a remainder without a newline is a line too. */
  end(): void {
    if (this.#pendingBytes > 0) this.#finishLine();
  }

  #append(part: Buffer): void {
    this.#pendingBytes += part.length;
    if (this.#discardedHead !== undefined) return;
    this.#pending.push(part);
    if (this.#pendingBytes <= this.#maxLineBytes) return;
    this.#discardedHead = this.#join().toString('utf8', 0, HEAD_BYTES);
    this.#pending = [];
    this.#receiver.exceeded?.();
  }

  #finishLine(): void {
    const byteLength = this.#pendingBytes;
    const head = this.#discardedHead;
    const bytes = head === undefined ? this.#join() : undefined;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#discardedHead = undefined;
    if (bytes === undefined) {
      this.#receiver.oversized(byteLength, head ?? '');
      return;
    }
    this.#deliver(bytes, 0, byteLength);
  }

  /** Decodes a line in place, without copying: nearly every line lies within one chunk. */
  #deliver(bytes: Buffer, start: number, end: number): void {
    const textEnd = end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    let text: string;
    try {
      text = bytes.toString('utf8', start, textEnd);
    } catch {
      // Longer than the engine's longest string (about 512 MB): nothing could parse it.
      this.#receiver.oversized(end - start, bytes.toString('utf8', start, start + HEAD_BYTES));
      return;
    }
    this.#receiver.line(text, end - start);
  }

  #join(): Buffer {
    const [only] = this.#pending;
    return this.#pending.length === 1 && only !== undefined ? only : Buffer.concat(this.#pending);
  }
}

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

/** The end of a process's stderr, in bounded memory however much it writes. */
export class StderrTail {
  #text = '';

  push(text: string): void {
    this.#text = (this.#text + text.slice(-LIMITS.stderrTailBytes)).slice(-LIMITS.stderrTailBytes);
  }

  get text(): string {
    return this.#text;
  }
}
