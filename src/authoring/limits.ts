import { OptionError } from '../protocol/errors.js';

/** How many calls of a tool may run at once: as many as come, one, or a number. */
export type Concurrency = 'parallel' | 'serial' | number;

export function checkConcurrency(value: Concurrency | undefined, owner: string): void {
  if (value === undefined || value === 'parallel' || value === 'serial') return;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return;
  throw new OptionError(
    'concurrency',
    value,
    `${owner}: \`concurrency\` must be 'parallel', 'serial' or a whole number above 0; it is ${typeof value === 'string' ? JSON.stringify(value) : String(value)}.`,
  );
}

/** Lets at most `limit` tasks run at once; the others wait in order. */
export class Limiter {
  readonly #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(concurrency: Concurrency | undefined) {
    this.#limit =
      concurrency === 'serial' ? 1 : typeof concurrency === 'number' ? concurrency : Number.POSITIVE_INFINITY;
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    return this.#limit === Number.POSITIVE_INFINITY ? task() : this.#runInTurn(task);
  }

  async #runInTurn<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** The longest that a timer can wait; node fires longer ones at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function checkTimeout(value: number | undefined, owner: string): void {
  if (value === undefined || (typeof value === 'number' && value >= 0)) return;
  throw new OptionError(
    'timeout',
    value,
    `${owner}: \`timeout\` must be milliseconds, 0 or above; it is ${String(value)}.`,
  );
}

export function checkMaxResultChars(value: number | undefined, owner: string): void {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return;
  throw new OptionError(
    'maxResultChars',
    value,
    `${owner}: \`maxResultChars\` must be a whole number above 0; it is ${String(value)}.`,
  );
}

/** A clock for one call, started again by progress. */
export class CallClock {
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(timeoutMs: number | undefined = 0) {
    this.#timeoutMs = timeoutMs <= MAX_TIMER_MS ? timeoutMs : 0;
  }

  /** False: nobody is ever late. */
  get hasLimit(): boolean {
    return this.#timeoutMs > 0;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(expire: () => void): void {
    if (this.hasLimit) this.#timer = setTimeout(expire, this.#timeoutMs);
  }

  restart(): void {
    if (!this.#isStopped) this.#timer?.refresh();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
