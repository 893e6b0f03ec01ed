import { ScriptedApiError } from './errors.js';
import type { ScriptedRequest } from './request.js';

/** Long enough for a slow machine to start a CLI, short enough to fail before a test runner gives up. */
const DEFAULT_TIMEOUT_MS = 15_000;

interface Waiter {
  offer(request: ScriptedRequest): void;
  giveUp(why: string): void;
}

/** Keeps the main requests in order and wakes those who wait for one. */
export class Recorder {
  readonly requests: ScriptedRequest[] = [];
  readonly #waiters = new Set<Waiter>();
  #closed = false;

  add(request: ScriptedRequest): void {
    this.requests.push(request);
    for (const waiter of [...this.#waiters]) waiter.offer(request);
  }

  waitFor(
    wanted: number | ((request: ScriptedRequest) => boolean),
    timeout: number = DEFAULT_TIMEOUT_MS,
  ): Promise<ScriptedRequest> {
    const matches =
      typeof wanted === 'number' ? (request: ScriptedRequest) => request.index === wanted : wanted;
    const name = typeof wanted === 'number' ? `request ${wanted + 1}` : 'a request that fits the predicate';
    return new Promise((resolve, reject) => {
      const found = this.requests.find(matches);
      if (found !== undefined) return resolve(found);
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        finish();
      };
      const waiter: Waiter = {
        offer: (request) => {
          try {
            if (matches(request)) settle(() => resolve(request));
          } catch (error) {
            // The caller's predicate failed: tell the caller, not the client whose request this is.
            settle(() => reject(error));
          }
        },
        giveUp: (why) => settle(() => reject(this.#missing(name, why))),
      };
      const timer = setTimeout(() => waiter.giveUp(`waited ${timeout} ms`), timeout);
      this.#waiters.add(waiter);
      if (this.#closed) waiter.giveUp('the API is closed');
    });
  }

  /** Rejects whoever still waits: nothing can come any more, and a timer must not hold the process. */
  close(): void {
    this.#closed = true;
    for (const waiter of [...this.#waiters]) waiter.giveUp('the API was closed');
  }

  #missing(name: string, why: string): ScriptedApiError {
    return new ScriptedApiError(
      'NO_SUCH_REQUEST',
      `${name} did not come (${why}; ${this.requests.length} came)`,
    );
  }
}
