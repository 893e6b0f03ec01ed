import { clock, type Timer, wait } from '../protocol/base/clock.js';
// A store is the user's code: it may throw, and it may never answer. Every wait for it is bounded.

import { messageOf, TenonError } from '../protocol/base/errors.js';
import { LIMITS } from '../protocol/base/limits.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../protocol/wire/session-store.js';

/** Calls a method of a store. If it fails or takes too long, rejects with an error that names the method. */
export async function readFrom<Answer>(
  method: keyof SessionStore,
  call: () => Promise<Answer>,
  timeoutMs: number = LIMITS.storeCallMs,
): Promise<Answer> {
  const timeoutError = new TenonError(
    'SESSION_STORE_FAILED',
    `SessionStore.${method}() timed out after ${timeoutMs} ms. Raise \`loadTimeoutMs\`, or check the store.`,
  );
  try {
    return await withTimeout(call, timeoutMs, timeoutError);
  } catch (error) {
    if (error === timeoutError) throw error;
    throw new TenonError('SESSION_STORE_FAILED', `SessionStore.${method}() failed: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Resolves when the store has the entries; rejects if it still fails after some attempts, or takes too long.
 */
export async function appendTo(
  store: SessionStore,
  key: SessionKey,
  entries: SessionStoreEntry[],
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const timeoutError = new Error(`SessionStore.append() timed out after ${LIMITS.storeCallMs} ms`);
    try {
      return await withTimeout(() => store.append(key, entries), LIMITS.storeCallMs, timeoutError);
    } catch (error) {
      // After a timeout the entries may still arrive; sending them again would duplicate them.
      const pause = error === timeoutError ? undefined : LIMITS.storeRetryMs[attempt];
      if (pause === undefined) throw error;
      await wait(pause);
    }
  }
}

async function withTimeout<Result>(
  call: () => Promise<Result>,
  milliseconds: number,
  timeout: Error,
): Promise<Result> {
  let timer: Timer | undefined;
  try {
    return await Promise.race([
      call(),
      new Promise<never>((_, reject) => {
        timer = clock.setTimeout(() => reject(timeout), milliseconds);
      }),
    ]);
  } finally {
    clock.clearTimeout(timer);
  }
}
