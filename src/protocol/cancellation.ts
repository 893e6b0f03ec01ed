/**
 * An AbortController that makes its signal only when somebody asks for it. A tool call passes three of these on its
 * way, most handlers never look at a signal, and signals were a third of what a call cost.
 */
export class Cancellation {
  #controller: AbortController | undefined;
  #listeners: Set<() => void> | undefined;
  #isCancelled = false;
  #reason: unknown;

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** For user code, and for what expects a real one. */
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

  /** Calls the listener once, unless `off` is called with it first. Not at all when it is cancelled already. */
  on(listener: () => void): void {
    if (this.#isCancelled) return;
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  off(listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}
