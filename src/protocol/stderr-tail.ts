import { LIMITS } from './limits.js';

/** The last of what a process wrote to stderr, whatever it wrote before: 10 MB cost no more than 8 KB. */
export class StderrTail {
  #text = '';

  push(text: string): void {
    this.#text = (this.#text + text.slice(-LIMITS.stderrTailBytes)).slice(-LIMITS.stderrTailBytes);
  }

  get text(): string {
    return this.#text;
  }
}
