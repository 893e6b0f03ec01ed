/**
 * An AbortController that creates its signal on demand: most handlers never look at theirs, and a signal with
 * a listener would cost more than the rest of the call (docs/decisions/0017-checked-requests.md).
 */
export class Cancellation {
  #controller: AbortController | undefined;
  #listeners: (() => void)[] | undefined;
  #isCancelled = false;
  #reason: unknown;

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** For user code, and for APIs that expect a real signal. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isCancelled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  cancel(reason: unknown): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener();
  }

  /** Calls the listener once, unless `off` removes it first. Does nothing if already cancelled. */
  on(listener: () => void): void {
    if (this.#isCancelled) return;
    if (this.#listeners === undefined) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  off(listener: () => void): void {
    const at = this.#listeners?.indexOf(listener) ?? -1;
    if (at !== -1) this.#listeners?.splice(at, 1);
  }
}

/** Settles like the promise, or rejects with the signal's reason, whichever comes first. */
export async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  // The loser of the race may still reject, with nobody listening.
  promise.catch(() => {});
  aborted.catch(() => {});
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
