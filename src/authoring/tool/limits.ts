import { clock, MAX_TIMER_MS, type Timer } from '../../protocol/base/clock.js';
import { OptionError } from '../../protocol/base/errors.js';

/** How many calls of a tool may run at once: any number, one, or a given number. */
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

/** The time limit of one call, restarted by progress. */
export class CallClock {
  readonly #timeoutMs: number;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(timeoutMs: number | undefined = 0) {
    this.#timeoutMs = timeoutMs <= MAX_TIMER_MS ? timeoutMs : 0;
  }

  /** False: the call has no time limit. */
  get hasLimit(): boolean {
    return this.#timeoutMs > 0;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(expire: () => void): void {
    if (this.hasLimit) this.#timer = clock.setTimeout(expire, this.#timeoutMs);
  }

  restart(): void {
    if (!this.#isStopped) this.#timer?.refresh();
  }

  stop(): void {
    this.#isStopped = true;
    clock.clearTimeout(this.#timer);
  }
}
