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
  #expire: (() => void) | undefined;

  constructor(timeoutMs: number | undefined) {
    this.#timeoutMs = timeoutMs ?? 0;
  }

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  start(expire: () => void): void {
    this.#expire = expire;
    this.restart();
  }

  /** False when the call is over: then there is nothing to start again. */
  restart(): boolean {
    if (this.#expire === undefined) return false;
    if (this.#timeoutMs > 0 && this.#timeoutMs <= MAX_TIMER_MS) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.#expire, this.#timeoutMs);
    }
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#expire = undefined;
  }
}
