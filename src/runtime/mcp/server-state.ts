import { LIMITS } from '../../protocol/limits.js';
import type { McpServerStatus } from '../../protocol/mcp-status.js';

type Status = McpServerStatus['status'];
type Reason = Pick<McpServerStatus, 'error' | 'authChallenge'>;

/** In which state a server is, since when, and why; and how often it was tried to get it into a better one. */
export class ServerState {
  /** In a row, without a connection between them that held. */
  attempts = 0;
  #status: Status = 'pending';
  #reason: Reason = {};
  #since = Date.now();
  #changed: Promise<void>;
  #tell: () => void = () => {};

  constructor() {
    this.#changed = this.#nextChange();
  }

  is(...statuses: Status[]): boolean {
    return statuses.includes(this.#status);
  }

  /** Somebody asks for a connection: what was before does not count. */
  begin(): void {
    this.attempts = 0;
    this.set('pending');
  }

  attempt(): void {
    this.attempts += 1;
  }

  /** The connection is gone. One that held for a while was well. */
  lost(): void {
    if (Date.now() - this.#since >= LIMITS.mcpStableMs) this.attempts = 0;
  }

  set(status: Status, reason: Reason = {}): void {
    if (status !== this.#status) this.#since = Date.now();
    this.#status = status;
    this.#reason = reason;
    const tell = this.#tell;
    this.#changed = this.#nextChange();
    tell();
  }

  /** Resolves at the next change. */
  changed(): Promise<void> {
    return this.#changed;
  }

  shown(): Pick<McpServerStatus, 'status' | 'error' | 'authChallenge' | 'since' | 'attempts'> {
    return {
      status: this.#status,
      ...this.#reason,
      since: new Date(this.#since).toISOString(),
      attempts: this.attempts,
    };
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#tell = resolve;
    });
  }
}
