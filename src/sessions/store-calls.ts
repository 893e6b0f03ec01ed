// A store is code of the user: it may throw, and it may never answer. Nobody waits for it without an end.

import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, TenonError } from '../protocol/errors.js';
import { LIMITS } from '../protocol/limits.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../protocol/session-store.js';

/** What a call of a store's method `method` gives. Rejects with an error that names the method when it fails or takes too long. */
export async function readFrom<Answer>(
  method: keyof SessionStore,
  call: () => Promise<Answer>,
  timeoutMs: number = LIMITS.storeCallMs,
): Promise<Answer> {
  const late = new TenonError(
    'SESSION_STORE_FAILED',
    `SessionStore.${method}() timed out after ${timeoutMs} ms. Raise \`loadTimeoutMs\`, or look at the store.`,
  );
  try {
    return await withTimeout(call, timeoutMs, late);
  } catch (error) {
    if (error === late) throw error;
    throw new TenonError('SESSION_STORE_FAILED', `SessionStore.${method}() failed: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Resolves when the store has the entries; rejects when it does not take them after some attempts, or not in time. */
export async function appendTo(
  store: SessionStore,
  key: SessionKey,
  entries: SessionStoreEntry[],
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const late = new Error(`SessionStore.append() timed out after ${LIMITS.storeCallMs} ms`);
    try {
      return await withTimeout(() => store.append(key, entries), LIMITS.storeCallMs, late);
    } catch (error) {
      // After a timeout the entries may still arrive; to send them again would double them.
      const pause = error === late ? undefined : LIMITS.storeRetryMs[attempt];
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
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      call(),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(timeout), milliseconds);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
