/** What the policy looks at and what it can do. */
export interface ReadingPolicyTarget {
  readonly unreadBytes: number;
  /** Requests in either direction that somebody waits for. */
  readonly openRequests: number;
  /** Whether the agent may need an answer from this side at all: then reading is never paused. */
  readonly hasCallbacks: boolean;
  pause(): void;
  resume(): void;
}

/**
 * A consumer that falls behind may hold the agent up, but messages and control traffic share one pipe. So reading
 * pauses above the budget only while nothing in the stream can be needed here: no callback of ours, and no answer
 * that we wait for. Otherwise the backlog grows, and we say so once.
 */
export class ReadingPolicy {
  readonly #target: ReadingPolicyTarget;
  readonly #maxUnreadBytes: number;
  #paused = false;
  #warned = false;

  constructor(target: ReadingPolicyTarget, maxUnreadBytes: number) {
    this.#target = target;
    this.#maxUnreadBytes = maxUnreadBytes;
  }

  /** Called whenever the backlog or the open requests have changed. */
  adjust(): void {
    const { unreadBytes, openRequests } = this.#target;
    if (this.#paused) {
      if (unreadBytes > this.#maxUnreadBytes / 2 && openRequests === 0) return;
      this.#paused = false;
      this.#target.resume();
    } else if (unreadBytes > this.#maxUnreadBytes) {
      if (this.#target.hasCallbacks) this.#warn(unreadBytes);
      else if (openRequests === 0) {
        this.#paused = true;
        this.#target.pause();
      }
    }
  }

  #warn(unreadBytes: number): void {
    if (this.#warned) return;
    this.#warned = true;
    process.emitWarning(
      `A query has ${unreadBytes} bytes of messages that nobody has read. Read them, or close the query; ` +
        'reading from the agent cannot pause while tools, hooks or permissions may be called.',
      { code: 'TENON_UNREAD_MESSAGES' },
    );
  }
}
