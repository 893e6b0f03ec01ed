import type { SDKMessage } from '../protocol/messages/index.js';

interface Waiter {
  resolve(result: IteratorResult<SDKMessage, void>): void;
  reject(error: unknown): void;
}

/**
 * Messages that the consumer has not read yet. It never refuses one: control traffic shares the pipe, so reading
 * goes on while nobody reads here. `bytes` is what the caller's policy looks at.
 */
export class UnreadMessages {
  #messages: { message: SDKMessage; byteLength: number }[] = [];
  #head = 0;
  #waiters: Waiter[] = [];
  #end: { error?: unknown } | undefined;
  #bytes = 0;
  readonly #policy: { adjust(): void };

  /** `policy` is told of what has been read. */
  constructor(policy: { adjust(): void }) {
    this.#policy = policy;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(message: SDKMessage, byteLength: number): void {
    if (this.#end !== undefined) return;
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.resolve({ done: false, value: message });
      return;
    }
    this.#messages.push({ message, byteLength });
    this.#bytes += byteLength;
  }

  /** After what is still unread: the end, or the error, once. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    for (const waiter of this.#waiters.splice(0)) this.#settleEnd(waiter);
  }

  /** At once: what is unread is dropped. */
  cut(error?: unknown): void {
    this.#messages = [];
    this.#head = 0;
    this.#bytes = 0;
    this.end(error);
  }

  next(): Promise<IteratorResult<SDKMessage, void>> {
    const entry = this.#messages[this.#head];
    if (entry !== undefined) {
      this.#take();
      this.#bytes -= entry.byteLength;
      this.#policy.adjust();
      return Promise.resolve({ done: false, value: entry.message });
    }
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      if (this.#end === undefined) this.#waiters.push(waiter);
      else this.#settleEnd(waiter);
    });
  }

  /** A moving head instead of `shift()`: a backlog of a million messages is read in linear time. */
  #take(): void {
    this.#head += 1;
    const isEmpty = this.#head === this.#messages.length;
    if (!isEmpty && (this.#head < 1024 || this.#head * 2 < this.#messages.length)) return;
    this.#messages = this.#messages.slice(this.#head);
    this.#head = 0;
  }

  #settleEnd(waiter: Waiter): void {
    const end = this.#end;
    if (end !== undefined && 'error' in end) {
      this.#end = {};
      waiter.reject(end.error);
    } else {
      waiter.resolve({ done: true, value: undefined });
    }
  }
}
