/**
 * A write costs the same as dozens of frames, and new memory for each as much again. So texts are collected, and their
 * memory is used again.
 */
const CHUNK_BYTES = 1024 * 1024;
/** In UTF-8, for each unit of a string. */
const MOST_BYTES = 3;
/** For all recordings of this process together. */
const MOST_SPARE = 2;
const spare: ArrayBufferLike[] = [];

/** The bytes have been written, and nobody looks at them any more. */
export function recycle({ buffer }: Buffer): void {
  if (buffer.byteLength === CHUNK_BYTES && spare.length < MOST_SPARE) spare.push(buffer);
}

/** Makes large pieces of bytes from texts. Holds no memory while it is empty. */
export class Chunks {
  #chunk: Buffer | undefined;
  #filled = 0;

  /** What is full now, in order. */
  add(text: string): Buffer[] {
    const most = text.length * MOST_BYTES;
    const full = this.#filled + most > CHUNK_BYTES ? this.take() : [];
    if (most > CHUNK_BYTES) return [...full, Buffer.from(text)];
    this.#chunk ??= Buffer.from(spare.pop() ?? new ArrayBuffer(CHUNK_BYTES));
    this.#filled += this.#chunk.write(text, this.#filled);
    return full;
  }

  /** What has been collected. */
  take(): Buffer[] {
    if (this.#chunk === undefined) return [];
    const bytes = this.#chunk.subarray(0, this.#filled);
    this.#chunk = undefined;
    this.#filled = 0;
    return [bytes];
  }
}
