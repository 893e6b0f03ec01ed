import { clock } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { ReadOptions } from '../host.js';
import type { HostEvent, HostMessage } from '../host-messages.js';
import { keyOf } from '../session-key.js';
import { checkedCount, checkedRef } from '../storage/checked.js';
import type { SessionRef } from '../storage/port/conversation.js';
import type { HostStorage } from '../storage/port/storage.js';
import { Feed, type Page } from './feed.js';
import { endable, Wakeup } from './wakeup.js';

/**
 * Readers of events. Each goes at its own pace, and nothing waits for it: it reads what is stored, and then follows the feed of
 * its conversation.
 */
export class EventReaders {
  readonly #storage: HostStorage;
  readonly #most: number;
  readonly #feeds = new Map<string, Feed>();
  /** Conversations that runs of this process are at work on. */
  readonly #runs = new Set<string>();
  readonly #wakeups = new Set<Wakeup>();
  #isClosed = false;

  constructor(storage: HostStorage, most: number) {
    this.#storage = storage;
    this.#most = most;
  }

  get count(): number {
    return this.#wakeups.size;
  }

  /** From here on a run of this process tells what it stores. */
  runBegins(ref: SessionRef): void {
    const key = keyOf(ref);
    this.#runs.add(key);
    const feed = this.#feeds.get(key);
    if (feed !== undefined) feed.isFed = true;
  }

  runEnds(ref: SessionRef): void {
    const key = keyOf(ref);
    this.#runs.delete(key);
    const feed = this.#feeds.get(key);
    if (feed !== undefined) feed.isFed = false;
  }

  /** Told what was stored, with the id of the last. */
  publish(ref: SessionRef, messages: readonly HostMessage[], last: number): void {
    this.#feeds.get(keyOf(ref))?.publish(messages, last);
  }

  /** Ends all loops. */
  close(): void {
    this.#isClosed = true;
    for (const wakeup of this.#wakeups) wakeup.end();
  }

  read(ref: SessionRef, options: ReadOptions = {}): AsyncGenerator<HostEvent, void> {
    const wakeup = new Wakeup();
    return endable(this.#loop(ref, options, wakeup), wakeup);
  }

  async *#loop(
    given: SessionRef,
    { after = 0, signal }: ReadOptions,
    wakeup: Wakeup,
  ): AsyncGenerator<HostEvent, void> {
    const ref = checkedRef(given);
    let last = checkedCount('after', after, 0);
    this.#checkRoom();
    const feed = this.#enter(ref, wakeup);
    wakeup.follow(signal);
    try {
      // What is stored comes first: of what the feed still has, some may have been deleted.
      for (let isFirst = true; !wakeup.isOver; isFirst = false) {
        const known = isFirst ? undefined : feed.after(last);
        const page = known ?? (await wakeup.until(this.#stored(ref, last, feed)));
        if (page === undefined) return;
        last = page.after + page.missed;
        if (page.missed > 0) yield missed(last, page.missed);
        for (const event of page.events) {
          if (wakeup.isOver) return;
          last = event.id;
          yield event;
        }
        if (page.isAll) await feed.next(last, wakeup);
      }
    } finally {
      this.#leave(ref, feed, wakeup);
    }
  }

  async #stored(ref: SessionRef, after: number, feed: Feed): Promise<Page> {
    const limit = LIMITS.hostReaderPage;
    const { events, missed, last } = await this.#storage.events.read(ref, { after, limit });
    if (last < after) {
      feed.doubt();
      return this.#stored(ref, 0, feed);
    }
    const reached = events.at(-1)?.id ?? after + missed;
    return { events: events as HostEvent[], missed, after, isAll: reached >= last };
  }

  #checkRoom(): void {
    if (this.#isClosed) throw new TenonError('CLOSED', 'The host is closed.');
    if (this.#wakeups.size < this.#most) return;
    const text = `There are ${this.#most} readers of events already, which is the limit (\`limits.readers\`). Try again later.`;
    throw new TenonError('QUEUE_FULL', text);
  }

  #enter(ref: SessionRef, wakeup: Wakeup): Feed {
    const key = keyOf(ref);
    const feed = this.#feeds.get(key) ?? new Feed(this.#storage, ref, this.#runs.has(key));
    feed.enter(wakeup);
    this.#feeds.set(key, feed);
    this.#wakeups.add(wakeup);
    return feed;
  }

  #leave(ref: SessionRef, feed: Feed, wakeup: Wakeup): void {
    wakeup.end();
    this.#wakeups.delete(wakeup);
    if (!feed.leave(wakeup)) this.#feeds.delete(keyOf(ref));
  }
}

function missed(id: number, count: number): HostEvent {
  return { id, at: clock.now(), message: { type: 'host', subtype: 'missed', count } };
}
