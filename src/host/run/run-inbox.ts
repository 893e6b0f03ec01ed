import { LIMITS } from '../../protocol/base/limits.js';
import type { HostAnswer } from '../host-messages.js';
import type { Lease } from '../storage/port/conversation.js';
import type { InboxEntry } from '../storage/port/inbox.js';
import type { HostStorage } from '../storage/port/storage.js';

/** An answer in the inbox. */
export interface AnswerBody {
  approval: string;
  key: string;
  answer: HostAnswer;
}

/** What was sent to a conversation, while a run works on it. */
export class RunInbox {
  /** Of all that was read: what is dealt with when the run ends. */
  readonly handled: Set<number> = new Set();
  /** Called with answers and interrupts that arrive during the run. */
  onNews: (entry: InboxEntry) => void = () => {};
  readonly #storage: HostStorage;
  readonly #lease: Lease;
  readonly #failed: (error: unknown) => void;
  #entries: InboxEntry[] = [];
  readonly #seen = new Set<number>();
  #reading: Promise<void> | undefined;
  #isStale = false;
  #unwatch: () => void = () => {};

  constructor(storage: HostStorage, lease: Lease, failed: (error: unknown) => void) {
    this.#storage = storage;
    this.#lease = lease;
    this.#failed = failed;
  }

  async open(): Promise<void> {
    const { tenant, session } = this.#lease;
    this.#unwatch = this.#storage.watch({ kind: 'inbox', tenant, session }, () => this.#changed());
    this.#entries = await this.#read();
    for (const { number } of this.#entries) this.#seen.add(number);
  }

  close(): void {
    this.onNews = () => {};
    this.#unwatch();
  }

  /** Those that the run has begun with, in order. */
  of(kind: InboxEntry['kind']): InboxEntry[] {
    return this.#entries.filter((entry) => entry.kind === kind && !this.handled.has(entry.number));
  }

  /** All prompts that were sent before this number. */
  async promptsBefore(number: number): Promise<InboxEntry[]> {
    const all = await this.#storage.inbox.read(this.#lease, { limit: LIMITS.hostPageMost });
    return all.filter((entry) => entry.kind === 'prompt' && entry.number < number);
  }

  #read(): Promise<InboxEntry[]> {
    return this.#storage.inbox.read(this.#lease, { limit: LIMITS.hostInboxPage });
  }

  /** One look at a time; what changes meanwhile is looked at once more. */
  #changed(): void {
    this.#isStale = true;
    this.#reading ??= this.#lookAgain().finally(() => {
      this.#reading = undefined;
    });
  }

  async #lookAgain(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      try {
        for (const entry of await this.#read()) {
          if (this.#seen.has(entry.number)) continue;
          this.#seen.add(entry.number);
          if (entry.kind !== 'prompt') this.onNews(entry);
        }
      } catch (error) {
        this.#failed(error);
        return;
      }
    }
  }
}
