// Time and randomness: every timer, date, delay and id of the client and the runtime comes from here, so that
// a whole conversation can be simulated from a seed. The real clock reads the globals on each call and keeps
// no state.

import { LIMITS } from './limits.js';

export type Uuid = `${string}-${string}-${string}-${string}-${string}`;

/** An object in Node, a number elsewhere. */
export type Timer = ReturnType<typeof globalThis.setTimeout>;

/** The longest a timer can wait, about 25 days; Node fires longer ones immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never go backwards; only differences are meaningful. */
  monotonic(): number;
  setTimeout(callback: () => void, milliseconds: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
  setInterval(callback: () => void, milliseconds: number): Timer;
  clearInterval(timer: Timer | undefined): void;
  /** Runs once the events that have already happened are handled. */
  setImmediate(callback: () => void): void;
  /** At least 0 and less than 1. */
  random(): number;
  uuid(): Uuid;
}

const systemClock: Clock = {
  now: () => Date.now(),
  // Not `performance.now()`: its first use loads a part of Node that takes 2 ms.
  monotonic: typeof process === 'object' && 'hrtime' in process ? milliseconds : () => performance.now(),
  setTimeout: (callback, milliseconds) => globalThis.setTimeout(callback, milliseconds),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  setInterval: (callback, milliseconds) => globalThis.setInterval(callback, milliseconds),
  clearInterval: (timer) => globalThis.clearInterval(timer),
  setImmediate: (callback) => {
    if (typeof globalThis.setImmediate === 'function') globalThis.setImmediate(callback);
    else globalThis.setTimeout(callback, 0);
  },
  random: () => Math.random(),
  uuid: () => inOnePiece(globalThis.crypto.randomUUID()),
};

/**
 * Node joins an id of twenty parts, and V8 keeps the parts: 490 bytes instead of 68, for ids of which every conversation keeps
 * dozens. Whoever reads a character makes one text of them.
 */
function inOnePiece(id: Uuid): Uuid {
  id.charCodeAt(0);
  return id;
}

/** The cheapest clock that Node has: every frame that is recorded asks for the time. */
function milliseconds(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1_000_000;
}

/** The current clock. */
export let clock: Clock = systemClock;

/**
 * Replaces the clock of this process, for a simulation. Returns a function that restores the previous one.
 */
export function useClock(other: Clock): () => void {
  const previous = clock;
  clock = other;
  return () => {
    clock = previous;
  };
}

/** The current date and time in the wire's format. */
export function timestamp(): string {
  return new Date(clock.now()).toISOString();
}

/** Lets the program exit while the timer is still running. */
export function unref(timer: Timer): Timer {
  if (typeof timer === 'object') timer.unref?.();
  return timer;
}

export interface WaitOptions {
  /** Rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** false: the wait does not by itself keep the program running. */
  keepsAlive?: boolean | undefined;
}

export function wait(milliseconds: number, { signal, keepsAlive = true }: WaitOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = (): void => {
      clock.clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (!keepsAlive) unref(timer);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

let begun = 0;
const waiting: (() => void)[] = [];
/** The clock that will call `nextLoopTurn`. */
let scheduledOn: Clock | undefined;

/**
 * Work in memory has no pauses of its own: thousands of embedded conversations that begin at once would run to
 * their end before anything else does. A few may go on between two turns of the event loop; undefined: this is
 * one of them. The others wait for a later turn.
 */
export function loopTurn(): Promise<void> | undefined {
  const isFree = waiting.length === 0 && begun < LIMITS.begunPerLoopTurn;
  if (scheduledOn !== clock) {
    scheduledOn = clock;
    clock.setImmediate(nextLoopTurn);
  }
  if (!isFree) return new Promise((resolve) => waiting.push(resolve));
  begun += 1;
  return undefined;
}

function nextLoopTurn(): void {
  const ready = waiting.splice(0, LIMITS.begunPerLoopTurn);
  begun = ready.length;
  scheduledOn = undefined;
  if (begun > 0) {
    scheduledOn = clock;
    clock.setImmediate(nextLoopTurn);
  }
  for (const go of ready) go();
}
