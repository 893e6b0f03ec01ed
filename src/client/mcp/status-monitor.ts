import type { McpServerStatus, McpStatusChange } from '../../mcp/status.js';
import { clock, type Timer } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';

type Listener = (change: McpStatusChange) => void;

/**
 * Reports changes of state. The agent does not, so it is polled while there are listeners; any other request
 * for the status informs them as well.
 */
export class StatusMonitor {
  readonly #ask: () => Promise<unknown>;
  readonly #listeners = new Set<Listener>();
  readonly #atEnd = new Set<() => void>();
  #rows = new Map<string, McpServerStatus>();
  #timer: Timer | undefined;
  #asking = false;
  #ended = false;

  /** `ask` passes its result to `observe`. */
  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask;
  }

  observe(rows: readonly McpServerStatus[]): void {
    const previousRows = this.#rows;
    this.#rows = new Map(rows.map((row) => [row.name, row]));
    for (const server of rows) {
      const { name, status } = server;
      const { status: previous, since } = previousRows.get(name) ?? {};
      // Same state but a different time: it was briefly in another state that was not seen.
      if (previous !== status || since !== server.since) this.#report({ name, status, previous, server });
    }
    for (const [name, { status: previous }] of previousRows) {
      if (!this.#rows.has(name)) this.#report({ name, status: undefined, previous, server: undefined });
    }
  }

  /** Reports each server's current state, then every change. Returns a function that stops it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    for (const server of this.#rows.values()) {
      listener({ name: server.name, status: server.status, previous: undefined, server });
    }
    this.#schedule(0);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) clock.clearTimeout(this.#timer);
    };
  }

  async *changes(): AsyncGenerator<McpStatusChange, void> {
    const queue: McpStatusChange[] = [];
    let wake: () => void = () => {};
    const atEnd = (): void => wake();
    this.#atEnd.add(atEnd);
    const stop = this.listen((change) => {
      queue.push(change);
      wake();
    });
    try {
      for (;;) {
        const change = queue.shift();
        if (change !== undefined) yield change;
        else if (this.#ended) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      stop();
      this.#atEnd.delete(atEnd);
    }
  }

  end(): void {
    this.#ended = true;
    clock.clearTimeout(this.#timer);
    for (const wake of this.#atEnd) wake();
  }

  #schedule(afterMs: number): void {
    if (this.#ended || this.#asking || this.#listeners.size === 0) return;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => void this.#poll(), afterMs);
  }

  async #poll(): Promise<void> {
    this.#asking = true;
    // A failed request is not a change; the end of the conversation stops the polling.
    await this.#ask().catch(() => {});
    this.#asking = false;
    const isMoving = [...this.#rows.values()].some(({ status }) => status === 'pending');
    this.#schedule(isMoving ? LIMITS.mcpPendingPollMs : LIMITS.mcpPollMs);
  }

  #report(change: McpStatusChange): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}
