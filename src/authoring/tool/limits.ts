import { clock, MAX_TIMER_MS, type Timer } from '../../protocol/base/clock.js';
import { OptionError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';

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

/** A call that waits for its turn. */
interface Waiter {
  begin(): void;
  giveUp(): void;
  patienceMs: number;
  timer: Timer | undefined;
}

/**
 * Lets at most `limit` tasks run at once; the others wait in order. A task keeps its place until it has really
 * ended, which may be long after its caller had an answer.
 */
export class Limiter {
  readonly #limit: number;
  #running = 0;
  /** Those of them that have been answered already. */
  #late = 0;
  readonly #waiting: Waiter[] = [];

  constructor(concurrency: Concurrency | undefined) {
    this.#limit =
      concurrency === 'serial' ? 1 : typeof concurrency === 'number' ? concurrency : Number.POSITIVE_INFINITY;
  }

  /**
   * The task calls `ended` once it has. While only late tasks run, it waits for its turn no longer than it may
   * run, and then rejects. Calls `whenEnded` in any case.
   */
  run<T>(
    task: (ended: () => void) => Promise<T>,
    timeoutMs: number | undefined,
    whenEnded: () => void = () => {},
  ): Promise<T> {
    return this.#limit === Number.POSITIVE_INFINITY
      ? task(whenEnded)
      : this.#runInTurn(task, timeoutMs, whenEnded);
  }

  async #runInTurn<T>(
    task: (ended: () => void) => Promise<T>,
    timeoutMs: number | undefined,
    whenEnded: () => void,
  ): Promise<T> {
    try {
      if (this.#running < this.#limit) this.#running += 1;
      else await this.#turn(patienceOf(timeoutMs));
    } catch (error) {
      whenEnded();
      throw error;
    }
    let isLate = false;
    let hasEnded = false;
    const ended = (): void => {
      hasEnded = true;
      if (isLate) this.#late -= 1;
      this.#leave();
      whenEnded();
    };
    try {
      return await task(ended);
    } finally {
      if (!hasEnded) {
        isLate = true;
        this.#late += 1;
        this.#watch();
      }
    }
  }

  #turn(patienceMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(new LateHandlers(patienceMs));
      };
      const waiter: Waiter = { begin: resolve, giveUp, patienceMs, timer: undefined };
      this.#waiting.push(waiter);
      this.#watch();
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else {
      clock.clearTimeout(next.timer);
      next.begin();
    }
    this.#watch();
  }

  /** Nobody knows whether a late task ever ends; one that is in time, or its own limit, ends by itself. */
  #watch(): void {
    const isStuck = this.#late >= this.#limit;
    for (const waiter of this.#waiting) {
      if (!isStuck) {
        clock.clearTimeout(waiter.timer);
        waiter.timer = undefined;
      } else waiter.timer ??= clock.setTimeout(waiter.giveUp, waiter.patienceMs);
    }
  }
}

/** How long a call waits for handlers that are late. */
function patienceOf(timeoutMs: number | undefined): number {
  const hasLimit = timeoutMs !== undefined && timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS;
  return hasLimit ? timeoutMs : LIMITS.lateHandlerMs;
}

/** All places were taken by calls that were over, and whose handlers still ran. */
export class LateHandlers extends Error {
  constructor(milliseconds: number) {
    super(
      `did not begin within ${milliseconds} ms: earlier calls that were cancelled or ran out of time have not ended, ` +
        'and `concurrency` lets no more begin. Handlers should stop when their `signal` is aborted.',
    );
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
