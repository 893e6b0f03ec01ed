import type { Readable } from 'node:stream';
import { clock, type Timer } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';

/**
 * The output of a command, handed over piece by piece. While somebody is still busy with a piece, nothing more is read,
 * so that the command is held up in place of memory being filled.
 */
export class Output {
  readonly #streams: readonly Readable[];
  readonly #onOutput: (chunk: Uint8Array) => void | Promise<void>;
  readonly #ended: Promise<unknown>;
  #isBusy = false;
  #isDropped = false;
  #sinceExit: number | undefined;
  #silence: Timer | undefined;
  #settle: () => void = () => {};

  constructor(streams: readonly (Readable | null)[], onOutput: (chunk: Uint8Array) => void | Promise<void>) {
    this.#streams = streams.filter((stream) => stream !== null);
    this.#onOutput = onOutput;
    this.#ended = Promise.all(this.#streams.map((stream) => this.#read(stream)));
  }

  /**
   * After the shell has exited: resolves when everything that was written until then has been handed over. What it has
   * left running may hold the pipes open, and may go on to write.
   */
  async drained(): Promise<void> {
    this.#sinceExit = 0;
    const quiet = new Promise<void>((resolve) => {
      this.#settle = resolve;
    });
    this.#waitForSilence();
    await Promise.race([this.#ended, quiet]);
    clock.clearTimeout(this.#silence);
  }

  /** Whatever comes now is nobody's; it is read all the same, because a closed pipe would end its writer. */
  drop(): void {
    this.#isDropped = true;
    for (const stream of this.#streams) (stream as { unref?: () => void }).unref?.();
  }

  /** Not by `data` events: Node resumes a paused stream when the process exits. */
  async #read(stream: Readable): Promise<void> {
    try {
      for await (const chunk of stream) if (!this.#isDropped) await this.#hand(chunk);
    } catch {
      // The exit tells what went wrong.
    }
  }

  async #hand(chunk: Buffer): Promise<void> {
    this.#isBusy = true;
    try {
      await this.#onOutput(chunk);
    } catch {
      // Who cannot take it has to say so elsewhere; the command runs on.
    }
    this.#isBusy = false;
    if (this.#sinceExit === undefined) return;
    this.#sinceExit += chunk.length;
    if (this.#sinceExit > LIMITS.maxPipeBytes) this.#settle();
    else this.#waitForSilence();
  }

  #waitForSilence(): void {
    clock.clearTimeout(this.#silence);
    this.#silence = clock.setTimeout(() => {
      if (this.#isBusy) this.#waitForSilence();
      else this.#settle();
    }, LIMITS.drainAfterExitMs);
  }
}
