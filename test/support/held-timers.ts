/** Limits of ours that run out when the test says so, and not because the machine is busy. */
import { clock, type Timer, useClock } from '../../src/protocol/base/clock.js';

export interface HeldTimers extends Disposable {
  /** How many are running. */
  readonly count: number;
  /** Lets those that run now expire. */
  expire(): void;
}

/** Timers of exactly `milliseconds` wait for `expire()`; all others are real. Choose a number that nothing else uses. */
export function holdTimers(milliseconds: number): HeldTimers {
  const held = new Map<Timer, () => void>();
  const real = clock;
  const restore = useClock({
    ...real,
    setTimeout: (callback, delay) => {
      if (delay !== milliseconds) return real.setTimeout(callback, delay);
      // A real timer, far away, so that `unref` and the like work.
      const timer = real.setTimeout(() => {}, 2 ** 30);
      held.set(timer, callback);
      return timer;
    },
    clearTimeout: (timer) => {
      if (timer !== undefined) held.delete(timer);
      real.clearTimeout(timer);
    },
  });
  const expire = (): void => {
    for (const [timer, callback] of [...held]) {
      held.delete(timer);
      real.clearTimeout(timer);
      callback();
    }
  };
  return {
    get count() {
      return held.size;
    },
    expire,
    [Symbol.dispose]: () => {
      for (const timer of held.keys()) real.clearTimeout(timer);
      restore();
    },
  };
}
