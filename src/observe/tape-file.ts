import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { messageOf } from '../protocol/base/errors.js';
import { Chunks, recycle } from './chunks.js';

/** The operations on files that a tape needs, so that a test can have a full disk. */
export interface TapeDisk {
  /** Fails with `EEXIST` if there is such a file, or link. */
  create(path: string): Promise<number>;
  write(descriptor: number, bytes: Buffer, position: number): Promise<number>;
  writeSync(descriptor: number, bytes: Buffer, position: number): number;
  close(descriptor: number): Promise<void>;
}

/** Only the user's: a recording is as confidential as the conversation. */
export const PRIVATE = 0o600;
const [open, write, close] = [promisify(fs.open), promisify(fs.write), promisify(fs.close)];

export const realDisk: TapeDisk = {
  create: (path) => open(path, 'wx', PRIVATE),
  write: async (descriptor, bytes, position) =>
    (await write(descriptor, bytes, 0, bytes.length, position)).bytesWritten,
  writeSync: (descriptor, bytes, position) => fs.writeSync(descriptor, bytes, 0, bytes.length, position),
  close: (descriptor) => close(descriptor),
};

/**
 * One file, written from its beginning to its end, one write at a time, never waited for by whoever records. Each
 * write has its own place in the file, so that what is left can be written at the exit of the program while another
 * write is still under way.
 */
export class TapeFile {
  readonly path: string;
  readonly #disk: TapeDisk;
  readonly #descriptor: number;
  readonly #failed: (reason: string) => void;
  readonly #chunks = new Chunks();
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #position = 0;
  #writing: Promise<void> | undefined;
  #isClosed = false;

  /** `failed` is called at most once; after that nothing is written. */
  constructor(path: string, descriptor: number, disk: TapeDisk, failed: (reason: string) => void) {
    this.path = path;
    this.#descriptor = descriptor;
    this.#disk = disk;
    this.#failed = failed;
  }

  /** What is not on the disk yet. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Written together with what comes next, when there is enough of it, or with `flush`. */
  write(text: string): void {
    if (!this.#isClosed && text !== '') this.#push(this.#chunks.add(text));
  }

  flush(): void {
    if (!this.#isClosed) this.#push(this.#chunks.take());
  }

  /** Resolves when everything until now is written, or never will be. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Resolves when all of it is written, or never will be. */
  async close(): Promise<void> {
    this.flush();
    await this.#writing;
    await this.#end();
  }

  /** Nothing more is written, whatever the disk is doing. */
  abandon(): void {
    this.#queue = [];
    void this.close();
  }

  /** The program ends now. */
  writeNow(text: string): void {
    if (this.#isClosed) return;
    try {
      for (const bytes of [...this.#queue, ...this.#chunks.take(), Buffer.from(text)]) {
        let rest = bytes;
        while (rest.length > 0) {
          const written = this.#disk.writeSync(this.#descriptor, rest, this.#position);
          this.#position += written;
          rest = rest.subarray(written);
        }
      }
    } catch {
      // Nobody is left to be told.
    }
    this.#isClosed = true;
  }

  #push(pieces: readonly Buffer[]): void {
    for (const bytes of pieces) {
      this.#queue.push(bytes);
      this.#queuedBytes += bytes.length;
      this.#writing ??= this.#writeAll();
    }
  }

  async #writeAll(): Promise<void> {
    try {
      for (let bytes = this.#queue.shift(); bytes !== undefined; bytes = this.#queue.shift()) {
        for (let rest = bytes; rest.length > 0; ) {
          const position = this.#position;
          // Counted first: see `writeNow`.
          this.#position += rest.length;
          const written = await this.#disk.write(this.#descriptor, rest, position);
          if (this.#isClosed) return;
          this.#position = position + written;
          rest = rest.subarray(written);
        }
        this.#queuedBytes -= bytes.length;
        recycle(bytes);
      }
    } catch (error) {
      if (!this.#isClosed) this.#failed(messageOf(error));
      await this.#end();
    } finally {
      this.#writing = undefined;
    }
  }

  async #end(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue = [];
    this.#queuedBytes = 0;
    await this.#disk.close(this.#descriptor).catch(() => {});
  }
}
