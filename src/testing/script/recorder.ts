import { type Player, ScriptError } from './errors.js';
import type { ScriptedRequest } from './request.js';

/** Long enough for a slow machine to start a CLI, short enough to fail before the test runner does. */
const DEFAULT_TIMEOUT_MS = 15_000;

interface Waiter {
  offer(request: ScriptedRequest): void;
  giveUp(reason: string): void;
}

/** Waits for a request by its index, or for the first that matches. */
export type WaitForRequest = (
  wanted: number | ((request: ScriptedRequest) => boolean),
  options?: { readonly timeout?: number },
) => Promise<ScriptedRequest>;

/** Keeps the requests of a conversation in order and resolves waits for them. */
export class Recorder {
  readonly requests: ScriptedRequest[] = [];
  readonly #player: Player;
  readonly #waiters = new Set<Waiter>();
  #closed = false;

  constructor(player: Player) {
    this.#player = player;
  }

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
    const name =
      typeof wanted === 'number' ? `request ${wanted + 1}` : 'a request that matches the predicate';
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
            // The caller's predicate failed: report that to the caller, not to the client that made the
            // request.
            settle(() => reject(error));
          }
        },
        giveUp: (reason) => settle(() => reject(this.#missing(name, reason))),
      };
      const timer = setTimeout(() => waiter.giveUp(`waited ${timeout} ms`), timeout);
      this.#waiters.add(waiter);
      if (this.#closed) waiter.giveUp('the API is closed');
    });
  }

  /**
   * Rejects the remaining waits: no request can arrive any more, and a timer must not keep the process alive.
   */
  close(): void {
    this.#closed = true;
    for (const waiter of [...this.#waiters]) waiter.giveUp('the API was closed');
  }

  #missing(name: string, reason: string): ScriptError {
    return new ScriptError(
      'NO_SUCH_REQUEST',
      this.#player,
      `${name} did not arrive (${reason}; ${this.requests.length} arrived)`,
    );
  }
}
