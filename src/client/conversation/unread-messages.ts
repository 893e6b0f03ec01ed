import { approximateBytes } from '../../protocol/base/approximate-bytes.js';
import { emitWarning } from '../../protocol/base/host-process.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { ControlChannel } from '../../protocol/channel/control-channel.js';
import type { Transport } from '../../protocol/transport/transport.js';
import type { SDKMessage } from '../../protocol/wire/messages/index.js';
import type { Callbacks } from '../callbacks/callbacks.js';

interface Waiter {
  resolve(result: IteratorResult<SDKMessage, void>): void;
  reject(error: unknown): void;
}

/**
 * Messages that the consumer has not read yet. None is ever refused: control traffic shares the pipe, so
 * reading continues even if the consumer does not. The policy decides when a backlog may hold up the agent.
 */
export class UnreadMessages {
  #messages: { message: SDKMessage; byteLength: number }[] = [];
  #head = 0;
  #waiters: Waiter[] = [];
  #end: { error?: unknown } | undefined;
  #bytes = 0;
  readonly #policy: Pick<ReadingPolicy, 'adjust'>;
  /** How many messages that were never lines may wait before they are measured. */
  readonly #unmeasured: number;

  /** `policy` is called whenever the number of unread bytes changes. */
  constructor(policy: Pick<ReadingPolicy, 'adjust'>, unmeasured = 0) {
    this.#policy = policy;
    this.#unmeasured = unmeasured;
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
    if (byteLength === 0) this.#measure();
    this.#policy.adjust(this.#bytes);
  }

  /** From the last one back to the first that is measured: usually one message, all of them once there are many. */
  #measure(): void {
    if (this.#messages.length - this.#head <= this.#unmeasured) return;
    for (let index = this.#messages.length - 1; index >= this.#head; index -= 1) {
      const entry = this.#messages[index];
      if (entry === undefined || entry.byteLength > 0) return;
      entry.byteLength = approximateBytes(entry.message, LIMITS.maxUnreadBytes);
      this.#bytes += entry.byteLength;
    }
  }

  /** Delivers the end, or the error once, after what is still unread. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    for (const waiter of this.#waiters.splice(0)) this.#settleEnd(waiter);
  }

  /** Ends immediately; unread messages are dropped. */
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
      this.#policy.adjust(this.#bytes);
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

/**
 * A slow consumer may hold up the agent, but messages and control traffic share one pipe. So reading pauses
 * above the limit only while nothing else in the stream can be needed: there are no callbacks and no open
 * requests. Otherwise the backlog grows, and a warning says so once.
 */
export class ReadingPolicy {
  readonly #transport: Pick<Transport, 'pause' | 'resume'>;
  readonly #channel: Pick<ControlChannel, 'openRequests'>;
  readonly #callbacks: Pick<Callbacks, 'any'>;
  readonly #maxUnreadBytes: number;
  #paused = false;
  #warned = false;

  constructor(
    transport: Pick<Transport, 'pause' | 'resume'>,
    channel: Pick<ControlChannel, 'openRequests'>,
    callbacks: Pick<Callbacks, 'any'>,
    maxUnreadBytes: number,
  ) {
    this.#transport = transport;
    this.#channel = channel;
    this.#callbacks = callbacks;
    this.#maxUnreadBytes = maxUnreadBytes;
  }

  /** Called whenever the backlog or the open requests change. */
  adjust(unreadBytes: number): void {
    if (this.#paused) {
      if (unreadBytes > this.#maxUnreadBytes / 2 && this.#channel.openRequests === 0) return;
      this.#paused = false;
      this.#transport.resume();
    } else if (unreadBytes > this.#maxUnreadBytes) {
      if (this.#callbacks.any) this.#warn(unreadBytes);
      else if (this.#channel.openRequests === 0) {
        this.#paused = true;
        this.#transport.pause();
      }
    }
  }

  #warn(unreadBytes: number): void {
    if (this.#warned) return;
    this.#warned = true;
    emitWarning(
      `A query has ${unreadBytes} bytes of unread messages. Read them, or close the query; ` +
        'reading from the agent cannot pause while tools, hooks or permissions may be called.',
      { code: 'TENON_UNREAD_MESSAGES' },
    );
  }
}
