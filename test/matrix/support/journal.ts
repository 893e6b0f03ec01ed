import { PATIENCE_MS } from '../../support/patience.js';

/** A list that grows while a scenario runs, and that one can wait on. */
export class Journal<Entry> {
  readonly entries: Entry[] = [];
  readonly #waiters = new Set<() => void>();

  add(entry: Entry): void {
    this.entries.push(entry);
    for (const look of [...this.#waiters]) look();
  }

  /** The entry that fits, now or as soon as it comes; the `nth` of them, from 1. */
  waitFor(fits: (entry: Entry) => boolean, what: string, nth = 1): Promise<Entry> {
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        this.#waiters.delete(look);
        reject(
          new Error(`Waited ${PATIENCE_MS} ms in vain for ${what}; there are ${this.entries.length} entries`),
        );
      }, PATIENCE_MS);
      const look = (): void => {
        const found = this.entries.filter(fits)[nth - 1];
        if (found === undefined) return;
        clearTimeout(giveUp);
        this.#waiters.delete(look);
        resolve(found);
      };
      this.#waiters.add(look);
      look();
    });
  }
}
