// A store is the user's code: it may throw, and it may never answer. Every wait for it is bounded.

import { clock, type Timer, wait } from '../protocol/base/clock.js';
import { messageOf, TenonError } from '../protocol/base/errors.js';
import { LIMITS } from '../protocol/base/limits.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../protocol/wire/session-store.js';
import { claimEnd, loadNoting } from './known-ends.js';
import { isConflict } from './session-conflict.js';

/**
 * Calls a method of a store for the user, whose own error it is then: only a call that takes too long gets
 * one of ours.
 */
export function callStore<Answer>(method: keyof SessionStore, call: () => Promise<Answer>): Promise<Answer> {
  return withTimeout(call, LIMITS.storeCallMs, timedOut(method, LIMITS.storeCallMs, 'Check the store.'));
}

/** Calls a method of a store. If it fails or takes too long, rejects with an error that names the method. */
export async function readFrom<Answer>(
  method: keyof SessionStore,
  call: () => Promise<Answer>,
  timeoutMs: number = LIMITS.storeCallMs,
): Promise<Answer> {
  const timeout = timedOut(method, timeoutMs, 'Raise `loadTimeoutMs`, or check the store.');
  try {
    return await withTimeout(call, timeoutMs, timeout);
  } catch (error) {
    if (error === timeout) throw error;
    throw new TenonError('SESSION_STORE_FAILED', `SessionStore.${method}() failed: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The entries of a conversation that may be continued. Rejects as `readFrom` does. */
export function loadFrom(
  store: SessionStore | undefined,
  key: SessionKey,
  timeoutMs: number | undefined,
): Promise<SessionStoreEntry[] | null> {
  return readFrom('load', () => loadNoting(store, key), timeoutMs);
}

function timedOut(method: keyof SessionStore, timeoutMs: number, remedy: string): TenonError {
  return new TenonError(
    'SESSION_STORE_FAILED',
    `SessionStore.${method}() timed out after ${timeoutMs} ms. ${remedy}`,
  );
}

/**
 * Resolves when the store has the entries; rejects if it still fails after some attempts, or takes too long.
 * With `after`, also if they do not follow that entry: whether the store looks at it, or somebody in this process has
 * continued the conversation.
 */
export async function appendTo(
  store: SessionStore,
  key: SessionKey,
  entries: SessionStoreEntry[],
  after?: string | null,
): Promise<void> {
  const claim = claimEnd(store, key, entries, after);
  const append = (): Promise<void> =>
    after === undefined ? store.append(key, entries) : store.append(key, entries, { after });
  for (let attempt = 0; ; attempt += 1) {
    const timeoutError = new Error(`SessionStore.append() timed out after ${LIMITS.storeCallMs} ms`);
    try {
      return await withTimeout(append, LIMITS.storeCallMs, timeoutError);
    } catch (error) {
      // After a timeout the entries may still arrive; sending them again would duplicate them.
      const pause = error === timeoutError || isConflict(error) ? undefined : LIMITS.storeRetryMs[attempt];
      if (pause === undefined) {
        if (error !== timeoutError) claim.release();
        throw error;
      }
      await wait(pause);
    }
  }
}

/** What the user's code answers; rejects with `timeout` if it takes too long. */
export async function withTimeout<Result>(
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
