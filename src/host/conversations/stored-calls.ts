import { clock, unref } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { callsIn } from './cli-transcript.js';
import type { HostedStore } from './hosted-store.js';

/** The calls that the transcript has. The CLI writes what it says a moment after it has said it. */
export class StoredCalls {
  /** The session of each call, in the order in which they came. */
  readonly #sessions = new Map<string, string>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(store: HostedStore) {
    store.onStored = ({ sessionId }, entries) => {
      for (const id of callsIn(entries)) this.add(id, sessionId);
    };
  }

  /** Resolves with the session when the call is stored; with undefined if that takes too long. */
  async sessionOf(id: string): Promise<string | undefined> {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    await new Promise<void>((resolve) => {
      const timer = unref(clock.setTimeout(resolve, LIMITS.hostCallStoredMs));
      const wake = (): void => {
        clock.clearTimeout(timer);
        resolve();
      };
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), wake]);
    });
    this.#waiting.delete(id);
    return this.#sessions.get(id);
  }

  add(id: string, sessionId: string): void {
    this.#sessions.set(id, sessionId);
    for (const wake of this.#waiting.get(id) ?? []) wake();
    if (this.#sessions.size <= LIMITS.hostStoredCalls) return;
    const [oldest = ''] = this.#sessions.keys();
    this.#sessions.delete(oldest);
  }
}
