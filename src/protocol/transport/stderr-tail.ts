import { LIMITS } from '../base/limits.js';

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
