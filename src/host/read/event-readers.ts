import { clock } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { ReadOptions } from '../host.js';
import type { HostEvent, HostMessage } from '../host-messages.js';
import { keyOf } from '../session-key.js';
import { checkedCount, checkedRef } from '../storage/checked.js';
import type { SessionRef } from '../storage/port/conversation.js';
import type { HostStorage } from '../storage/port/storage.js';
import { Wakeup } from './wakeup.js';

/** What this process has just stored of a conversation that somebody reads. */
interface Recent {
  readers: number;
  readonly events: HostEvent[];
}

/**
 * Readers of events. Each goes at its own pace and has nothing waiting for it: it reads what is stored, and of what this
 * process has just stored a copy in memory.
 */
export class EventReaders {
  readonly #storage: HostStorage;
  readonly #most: number;
  readonly #recent = new Map<string, Recent>();
  readonly #wakeups = new Set<Wakeup>();
  #isClosed = false;

  constructor(storage: HostStorage, most: number) {
    this.#storage = storage;
    this.#most = most;
  }

  get count(): number {
    return this.#wakeups.size;
  }

  /** Told what was stored, with the id of the last. */
  publish(ref: SessionRef, messages: readonly HostMessage[], last: number): void {
    const recent = this.#recent.get(keyOf(ref));
    if (recent === undefined) return;
    const { events } = recent;
    const first = last - messages.length + 1;
    // Somebody else has stored some in between: they are in the storage.
    if (events.length > 0 && events.at(-1)?.id !== first - 1) events.length = 0;
    const at = clock.now();
    events.push(...messages.map((message, index) => ({ id: first + index, at, message })));
    if (events.length > LIMITS.hostRecentEvents) events.splice(0, events.length - LIMITS.hostRecentEvents);
  }

  /** Ends all loops. */
  close(): void {
    this.#isClosed = true;
    for (const wakeup of this.#wakeups) wakeup.end();
  }

  async *read(given: SessionRef, { after = 0, signal }: ReadOptions = {}): AsyncGenerator<HostEvent, void> {
    const ref = checkedRef(given);
    let last = checkedCount('after', after, 0);
    if (this.#isClosed) throw new TenonError('CLOSED', 'The host is closed.');
    if (this.#wakeups.size >= this.#most) {
      const text = `There are ${this.#most} readers of events already, which is the limit (\`limits.readers\`). Try again later.`;
      throw new TenonError('QUEUE_FULL', text);
    }
    const wakeup = new Wakeup(signal);
    const recent = this.#enter(ref);
    this.#wakeups.add(wakeup);
    const unwatch = this.#storage.watch({ kind: 'events', ...ref }, () => wakeup.wake());
    try {
      while (!wakeup.isOver) {
        const { events, missed, isAll } = await this.#page(ref, recent, last);
        if (missed > 0) {
          last += missed;
          yield { id: last, at: clock.now(), message: { type: 'host', subtype: 'missed', count: missed } };
        }
        for (const event of events) {
          if (wakeup.isOver) return;
          last = event.id;
          yield event;
        }
        if (isAll) await wakeup.next();
      }
    } finally {
      unwatch();
      wakeup.end();
      this.#wakeups.delete(wakeup);
      this.#leave(ref, recent);
    }
  }

  async #page(
    ref: SessionRef,
    { events: recent }: Recent,
    after: number,
  ): Promise<{ events: HostEvent[]; missed: number; isAll: boolean }> {
    const place = recent.length === 0 ? -1 : after + 1 - (recent[0]?.id ?? 0);
    if (place >= 0 && place < recent.length) return { events: recent.slice(place), missed: 0, isAll: true };
    const page = await this.#storage.events.read(ref, { after });
    // A conversation that was deleted and has begun again.
    if (page.last < after) return this.#page(ref, { readers: 0, events: [] }, 0);
    const events = page.events as HostEvent[];
    const reached = events.at(-1)?.id ?? after + page.missed;
    return { events, missed: page.missed, isAll: reached >= page.last };
  }

  #enter(ref: SessionRef): Recent {
    const key = keyOf(ref);
    const recent = this.#recent.get(key) ?? { readers: 0, events: [] };
    recent.readers += 1;
    this.#recent.set(key, recent);
    return recent;
  }

  #leave(ref: SessionRef, recent: Recent): void {
    recent.readers -= 1;
    if (recent.readers === 0) this.#recent.delete(keyOf(ref));
  }
}
