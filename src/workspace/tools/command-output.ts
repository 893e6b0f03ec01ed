import { LIMITS } from '../../protocol/base/limits.js';
import type { TaskOutput } from '../../runtime/tasks/task.js';
import { joined } from './bytes.js';
import type { OutputFile } from './output-file.js';

/**
 * What a command writes: the beginning and the end in memory, and all of it in a file as soon as that is needed, because
 * it is too long or the command goes on in the background.
 */
export class CommandOutput {
  readonly #keepBytes: number;
  readonly #open: () => OutputFile;
  #head: Uint8Array = new Uint8Array();
  #tail: Uint8Array = new Uint8Array();
  #bytes = 0;
  #file: OutputFile | undefined;
  #problem: unknown;

  constructor(keepBytes: number, open: () => OutputFile) {
    this.#keepBytes = keepBytes;
    this.#open = open;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** There is more than the beginning. */
  get isCut(): boolean {
    return this.#bytes > this.#head.length;
  }

  /** The beginning. */
  get text(): string {
    const text = new TextDecoder().decode(this.#head);
    // A character may have been cut in two.
    return this.isCut ? text.replace(/\uFFFD$/, '') : text;
  }

  get end(): TaskOutput {
    return {
      output: new TextDecoder().decode(this.#tail).replace(/^\uFFFD+/, ''),
      total_bytes: this.#bytes,
      truncated: this.#bytes > this.#tail.length,
    };
  }

  /** Resolves when there is room for more; undefined: there is. */
  add(chunk: Uint8Array): Promise<void> | undefined {
    const isLong = this.#bytes + chunk.length > this.#keepBytes;
    const file = isLong ? this.#used() : this.#file;
    if (!this.isCut) this.#head = joined(this.#head, chunk.subarray(0, this.#keepBytes - this.#head.length));
    this.#bytes += chunk.length;
    this.#tail = joined(this.#tail, chunk).slice(-LIMITS.taskTailBytes);
    return file?.add(chunk).catch((error) => this.#fail(error));
  }

  /** From now on everything is in the file too. Resolves when what came so far is; rejects if that failed. */
  async saved(): Promise<void> {
    await this.#used().written();
    if (this.#problem !== undefined) throw this.#problem;
  }

  /** The file, with what came before it was needed. */
  #used(): OutputFile {
    if (this.#file === undefined) {
      this.#file = this.#open();
      if (this.#head.length > 0) this.#file.add(this.#head).catch((error) => this.#fail(error));
    }
    return this.#file;
  }

  #fail(error: unknown): void {
    this.#problem ??= error;
  }
}
