/** How many processes there may be at once: those at work, those that are idle, and those that wait to be needed. */
export class ProcessRoom {
  readonly #places: number;
  readonly #endOne: () => boolean;
  #taken = 0;
  /** Told to end, and not gone yet. */
  #ending = 0;
  readonly #waiting: (() => void)[] = [];

  /** `endOne` ends a process that nobody needs now; false: there is none. */
  constructor(places: number, endOne: () => boolean) {
    this.#places = places;
    this.#endOne = endOne;
  }

  get hasRoom(): boolean {
    return this.#taken < this.#places && this.#waiting.length === 0;
  }

  /** Takes a place that is free. */
  take(): void {
    this.#taken += 1;
  }

  /** Resolves with a place. A conversation never waits for others to be answered: there are as many places as may run. */
  async enter(): Promise<void> {
    if (this.hasRoom) {
      this.#taken += 1;
      return;
    }
    const place = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.changed();
    await place;
  }

  /** A process is gone, and with it its place is free. */
  leave(): void {
    if (this.#ending > 0) this.#ending -= 1;
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken -= 1;
    else next();
  }

  /** A process may have become one that nobody needs. */
  changed(): void {
    while (this.#ending < this.#waiting.length && this.#endOne()) this.#ending += 1;
  }
}
