import { clock, type Timer, wait } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { HostMessage } from '../host-messages.js';
import { StorageError } from '../storage/errors.js';
import type { Commit, Committed } from '../storage/port/commit.js';
import type { Lease } from '../storage/port/conversation.js';
import type { HostStorage } from '../storage/port/storage.js';
import { joined } from './deltas.js';

export interface EventLogParts {
  readonly storage: Pick<HostStorage, 'commit'>;
  readonly lease: Lease;
  readonly batchMs: number;
  /** Told what was stored, with the id of the last. */
  published(messages: readonly HostMessage[], last: number): void;
  /** Why something could not be stored. Nothing is stored after it, until it is void. */
  failed(error: unknown): void;
}

/** What readers are told, collected for a moment and stored together. */
export class EventLog {
  readonly #parts: EventLogParts;
  #waiting: HostMessage[] = [];
  #timer: Timer | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isFlushing = false;
  #isStopped = false;
  /** Why a batch was not stored: what would follow it is not stored either, or readers would have a gap. */
  #lost: { error: unknown } | undefined;

  constructor(parts: EventLogParts) {
    this.#parts = parts;
  }

  add(...messages: readonly HostMessage[]): void {
    for (const message of messages) {
      const whole = joined(this.#waiting.at(-1), message);
      if (whole === undefined) this.#waiting.push(message);
      else this.#waiting[this.#waiting.length - 1] = whole;
    }
    this.#timer ??= clock.setTimeout(() => this.#flush(), this.#parts.batchMs);
  }

  /** Resolves when there is room for more: a storage that is slow slows the agent down, not the memory. */
  async hasRoom(): Promise<void> {
    if (this.#waiting.length < LIMITS.hostEventsAtOnce) return;
    this.#flush();
    await this.#last;
  }

  /** Stores what is left, and `last`, together with more: all or nothing. Rejects if that fails, or a batch before it has. */
  async commit(commit: Omit<Commit, 'events'>, last: readonly HostMessage[] = []): Promise<Committed> {
    const done = this.#last.then(() => {
      if (this.#lost !== undefined) throw this.#lost.error;
      const messages = [...this.#take(), ...last];
      return commit.release === undefined ? this.#store(messages, commit) : this.#surely(messages, commit);
    });
    this.#last = done.catch(() => {});
    return done;
  }

  /** What was told so far is told anew: it does not matter what of it could not be stored. */
  forget(): void {
    this.#lost = undefined;
  }

  /** Nothing more is stored. */
  stop(): void {
    this.#isStopped = true;
    this.#take();
  }

  /** One batch at a time: what comes while the last one is being stored goes with the next. */
  #flush(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.#last = this.#last.then(async () => {
      this.#isFlushing = false;
      const messages = this.#take();
      if (messages.length === 0 || this.#isStopped || this.#lost !== undefined) return;
      try {
        await this.#store(messages, {});
      } catch (error) {
        this.#lost = { error };
        this.#parts.failed(error);
      }
    });
  }

  /**
   * A storage that is away for a moment is waited for. What it may have stored unseen is not stored twice: with the
   * release in it, the lease is over.
   */
  async #surely(messages: readonly HostMessage[], commit: Omit<Commit, 'events'>): Promise<Committed> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#store(messages, commit);
      } catch (error) {
        const isAway = StorageError.is(error) && error.isTransient;
        if (!isAway || tries >= LIMITS.hostCommitTries) throw error;
        await wait(LIMITS.hostStorageRetryMs);
      }
    }
  }

  async #store(messages: readonly HostMessage[], commit: Omit<Commit, 'events'>): Promise<Committed> {
    const { storage, lease, published } = this.#parts;
    const committed = await storage.commit(lease, { ...commit, events: messages });
    if (messages.length > 0) published(messages, committed.event);
    return committed;
  }

  #take(): HostMessage[] {
    clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const messages = this.#waiting;
    this.#waiting = [];
    return messages;
  }
}
