import { type FileHandle, open } from 'node:fs/promises';
import { LIMITS } from '../../protocol/base/limits.js';

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** The lines of a run, wherever they are. Positions are in bytes, and always at the beginning of a line. */
export interface RunText {
  /** How much can be read now. */
  readonly length: number;
  /** Whole lines from one position to another. Throws if they are not there any more. */
  read(from: number, to: number): AsyncIterable<Buffer>;
}

/** Lines that are kept in memory. */
export class MemoryText implements RunText {
  readonly #parts: { readonly start: number; readonly bytes: Buffer }[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(lines: string): void {
    const bytes = Buffer.from(lines);
    this.#parts.push({ start: this.#length, bytes });
    this.#length += bytes.length;
  }

  async *read(from: number, to: number): AsyncGenerator<Buffer, void> {
    let together: Buffer[] = [];
    let size = 0;
    for (let index = this.#indexOf(from); index < this.#parts.length; index += 1) {
      const part = this.#parts[index];
      if (part === undefined || part.start >= to) break;
      together.push(part.bytes);
      size += part.bytes.length;
      if (size < CHUNK_BYTES) continue;
      yield Buffer.concat(together);
      [together, size] = [[], 0];
    }
    if (size > 0) yield Buffer.concat(together);
  }

  /** The part that begins there: who reads has read whole parts. */
  #indexOf(position: number): number {
    let [low, high] = [0, this.#parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#parts[middle]?.start ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Lines in a file that somebody else writes. */
export class FileText implements RunText {
  readonly #path: string;
  #length = 0;

  constructor(path: string) {
    this.#path = path;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes in what has been added: only lines that are complete. Calls back with each part of it. */
  async grow(added: (lines: Buffer) => void): Promise<void> {
    const file = await open(this.#path, 'r');
    try {
      for await (const lines of linesOf(file, this.#length, Number.POSITIVE_INFINITY)) {
        this.#length += lines.length;
        added(lines);
      }
    } finally {
      await file.close();
    }
  }

  async *read(from: number, to: number): AsyncGenerator<Buffer, void> {
    // Open until it is read: a file that is removed meanwhile is still read to its end.
    const file = await open(this.#path, 'r');
    try {
      yield* linesOf(file, from, to);
    } finally {
      await file.close();
    }
  }
}

async function* linesOf(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer, void> {
  let position = from;
  let rest: Buffer = Buffer.alloc(0);
  while (position < to) {
    const size = Math.min(CHUNK_BYTES, to - position);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    const read = buffer.subarray(0, bytesRead);
    const end = read.lastIndexOf(NEWLINE) + 1;
    const before = rest;
    rest = end === 0 ? Buffer.concat([before, read]) : Buffer.from(read.subarray(end));
    if (end > 0)
      yield before.length === 0 ? read.subarray(0, end) : Buffer.concat([before, read.subarray(0, end)]);
    if (rest.length > LIMITS.maxTapeLineBytes) {
      throw new Error(
        `it has a line of more than ${LIMITS.maxTapeLineBytes} bytes, and no tape has such a line`,
      );
    }
  }
}
