import type { Lines } from './lines.js';

/**
 * Warnings for the host: on stderr, and as a message. Between turns they are held back, since nobody reads
 * then.
 */
export class Warnings {
  isTurnRunning = false;
  readonly #lines: Lines;
  readonly #onStderr: ((text: string) => void) | undefined;
  readonly #waiting: string[] = [];

  constructor(lines: Lines, onStderr: ((text: string) => void) | undefined) {
    this.#lines = lines;
    this.#onStderr = onStderr;
  }

  add(text: string): void {
    if (!this.isTurnRunning) {
      this.#waiting.push(text);
      return;
    }
    this.#onStderr?.(`warning: ${text}\n`);
    this.#lines.system('informational', { content: text, level: 'warning' });
  }

  /** Writes the warnings that were held back. */
  flush(): void {
    for (const text of this.#waiting.splice(0)) this.add(text);
  }
}
