import { LIMITS } from '../../protocol/base/limits.js';
import { keyOf } from '../session-key.js';
import type { SessionRef } from '../storage/port/conversation.js';

/** Agents that have failed, and how often in a row. In memory: a program that is started anew tries them anew. */
export class Failures {
  readonly #counts = new Map<string, number>();

  /** After how long to try again; undefined: no more. */
  next(ref: SessionRef): number | undefined {
    const key = keyOf(ref);
    const count = this.#counts.get(key) ?? 0;
    const delay = LIMITS.hostRetryMs[count];
    this.#counts.delete(key);
    if (delay === undefined) return undefined;
    this.#counts.set(key, count + 1);
    if (this.#counts.size > LIMITS.hostFailures) this.#counts.delete(this.#counts.keys().next().value ?? '');
    return delay;
  }

  forget(ref: SessionRef): void {
    if (this.#counts.size > 0) this.#counts.delete(keyOf(ref));
  }
}
