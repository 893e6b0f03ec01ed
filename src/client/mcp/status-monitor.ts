import { LIMITS } from '../../protocol/limits.js';
import type { McpServerStatus } from '../../protocol/mcp-status.js';

/** A server has changed its state, has appeared, or is gone. With `previous` equal to `status` it was lost and found again. */
export interface McpStatusChange {
  name: string;
  /** Undefined: the server is no longer there. */
  status: McpServerStatus['status'] | undefined;
  /** Undefined: it was not there before. */
  previous: McpServerStatus['status'] | undefined;
  server: McpServerStatus | undefined;
}

type Listener = (change: McpStatusChange) => void;

/**
 * Tells of changes. The agent does not, so it is asked again and again, but only while somebody listens; whatever else
 * asks for the status tells the listeners too.
 */
export class StatusMonitor {
  readonly #ask: () => Promise<unknown>;
  readonly #listeners = new Set<Listener>();
  readonly #atEnd = new Set<() => void>();
  #rows = new Map<string, McpServerStatus>();
  #timer: NodeJS.Timeout | undefined;
  #asking = false;
  #ended = false;

  /** `ask` calls `observe` with what it hears. */
  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask;
  }

  observe(rows: readonly McpServerStatus[]): void {
    const before = this.#rows;
    this.#rows = new Map(rows.map((row) => [row.name, row]));
    for (const server of rows) {
      const { name, status } = server;
      const { status: previous, since } = before.get(name) ?? {};
      // The same state since another moment: it was in another one, too short to be seen.
      if (previous !== status || since !== server.since) this.#tell({ name, status, previous, server });
    }
    for (const [name, { status: previous }] of before) {
      if (!this.#rows.has(name)) this.#tell({ name, status: undefined, previous, server: undefined });
    }
  }

  /** Hears the state that each server is in, and from then on the changes. Returns how to stop. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    for (const server of this.#rows.values()) {
      listener({ name: server.name, status: server.status, previous: undefined, server });
    }
    this.#schedule(0);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) clearTimeout(this.#timer);
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
    clearTimeout(this.#timer);
    for (const wake of this.#atEnd) wake();
  }

  #schedule(afterMs: number): void {
    if (this.#ended || this.#asking || this.#listeners.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), afterMs);
  }

  async #look(): Promise<void> {
    this.#asking = true;
    // A question that fails is no change; the end of the conversation ends the asking.
    await this.#ask().catch(() => {});
    this.#asking = false;
    const isMoving = [...this.#rows.values()].some(({ status }) => status === 'pending');
    this.#schedule(isMoving ? LIMITS.mcpPendingPollMs : LIMITS.mcpPollMs);
  }

  #tell(change: McpStatusChange): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}
