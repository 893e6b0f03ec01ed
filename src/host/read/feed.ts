import { clock } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { HostEvent, HostMessage } from '../host-messages.js';
import type { SessionRef } from '../storage/port/conversation.js';
import type { HostStorage } from '../storage/port/storage.js';
import type { Wakeup } from './wakeup.js';

/** Events for a reader. */
export interface Page {
  /** The id that the page follows: 0 where the conversation was deleted and has begun again. */
  readonly after: number;
  /** How many events after it are no longer kept. */
  readonly missed: number;
  readonly events: readonly HostEvent[];
  /** There is nothing after it yet. */
  readonly isAll: boolean;
}

/** As text: each reader gets an object of its own, as from the storage. */
interface Kept {
  readonly id: number;
  readonly at: number;
  readonly text: string;
}

/**
 * The newest events of one conversation, for all of its readers in this process. What a run of this process has stored it tells
 * the feed; of what others store one look at the storage serves all readers. Who is too far behind for the feed reads the
 * storage itself.
 */
export class Feed {
  readonly #storage: HostStorage;
  readonly #ref: SessionRef;
  readonly #unwatch: () => void;
  readonly #readers = new Set<Wakeup>();
  /** Readers that have everything up to `#end`. */
  readonly #current = new Set<Wakeup>();
  /** In order, without a gap, up to `#end`. */
  #events: Kept[] = [];
  #chars = 0;
  /** The last event that is known here. Undefined: nobody has looked yet. */
  #end: number | undefined;
  /** Something may have been stored that is not known here. */
  #isStale = false;
  #isFed: boolean;
  #looking: Promise<void> | undefined;

  constructor(storage: HostStorage, ref: SessionRef, isFed: boolean) {
    this.#storage = storage;
    this.#ref = ref;
    this.#isFed = isFed;
    this.#unwatch = storage.watch({ kind: 'events', ...ref }, () => {
      this.#isStale = true;
      // While a run of this process is at work nobody else writes: what has changed is what the run tells.
      if (!this.#isFed) this.#wake();
    });
  }

  /** Whether a run of this process writes the events, and tells. */
  set isFed(isFed: boolean) {
    this.#isFed = isFed;
    if (!isFed && this.#isStale) this.#wake();
  }

  enter(reader: Wakeup): void {
    this.#readers.add(reader);
  }

  /** False: it was the last one, and the feed is over. */
  leave(reader: Wakeup): boolean {
    this.#readers.delete(reader);
    this.#current.delete(reader);
    if (this.#readers.size > 0) return true;
    this.#unwatch();
    return false;
  }

  /** Told what was stored, with the id of the last. */
  publish(messages: readonly HostMessage[], last: number): void {
    const at = clock.now();
    const first = last - messages.length + 1;
    this.#add(messages.map((message, index) => ({ id: first + index, at, text: JSON.stringify(message) })));
  }

  /** The events after an id; undefined: the storage has to be asked. */
  after(after: number): Page | undefined {
    if (this.#end === undefined || after > this.#end) return undefined;
    if (after === this.#end) return { after, missed: 0, events: [], isAll: true };
    const place = after + 1 - (this.#events[0]?.id ?? Number.POSITIVE_INFINITY);
    if (place < 0) return undefined;
    const some = this.#events.slice(place, place + LIMITS.hostReaderPage);
    const events = some.map(({ id, at, text }) => ({ id, at, message: JSON.parse(text) }));
    return { after, missed: 0, events, isAll: false };
  }

  /** A reader has seen more than there is: it is mistaken, or the conversation was deleted. The next look tells. */
  doubt(): void {
    this.#forget();
    this.#isStale = true;
    if (!this.#isFed) this.#wake();
  }

  /** Resolves when there may be more for a reader that has everything up to `last`. Rejects if the storage cannot be read. */
  async next(last: number, reader: Wakeup): Promise<void> {
    this.#end ??= last;
    if (this.#end === last) this.#current.add(reader);
    // Nobody is behind, and whoever comes later begins with what is stored.
    if (this.#current.size === this.#readers.size) this.#forget();
    if (!this.#isToLook()) await reader.next();
    if (!this.#isToLook() || reader.isOver) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await reader.until(this.#looking);
  }

  #isToLook(): boolean {
    return this.#isStale && !this.#isFed;
  }

  async #look(): Promise<void> {
    this.#isStale = false;
    try {
      for (;;) {
        const after = this.#end ?? 0;
        const { events, missed, last } = await this.#storage.events.read(this.#ref, { after });
        // A run has begun meanwhile, and has told more.
        if (this.#end !== after) continue;
        if (last < after || missed > 0) this.#forget();
        this.#end = Math.min(after + missed, last);
        this.#add(events.map(({ id, at, message }) => ({ id, at, text: JSON.stringify(message) })));
        if (this.#end === last) break;
      }
      // Who was woken by the same change and has come after the look began has not waited for it.
      this.#wake();
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }

  /** What is stored under an id counts: the conversation may have been deleted, and have begun again. */
  #add(events: readonly Kept[]): void {
    const [first, last] = [events[0], events.at(-1)];
    if (first === undefined || last === undefined) return;
    const before = this.#events.filter(({ id }) => id < first.id);
    this.#events = before.at(-1)?.id === first.id - 1 ? [...before, ...events] : [...events];
    this.#end = last.id;
    this.#current.clear();
    this.#chars = this.#events.reduce((sum, { text }) => sum + text.length, 0);
    while (this.#events.length > 1 && this.#isTooMuch()) {
      this.#chars -= this.#events.shift()?.text.length ?? 0;
    }
    this.#wake();
  }

  #isTooMuch(): boolean {
    return this.#events.length > LIMITS.hostRecentEvents || this.#chars > LIMITS.hostRecentChars;
  }

  #forget(): void {
    this.#events = [];
    this.#chars = 0;
  }

  #wake(): void {
    for (const reader of this.#readers) reader.wake();
  }
}
