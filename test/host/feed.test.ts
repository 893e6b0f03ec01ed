/** The feed that readers of one conversation share, with a storage that answers when the test says so (R62). */
import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { EventPage, HostMessage, HostStorage } from '../../src/host/index.js';
import { Feed } from '../../src/host/read/feed.js';
import { Wakeup } from '../../src/host/read/wakeup.js';
import { REF } from './support/host.js';

const said = (id: number): HostMessage =>
  ({ type: 'system', subtype: 'status', id }) as unknown as HostMessage;

/** A storage with events up to an id, that answers each read when it is told to. */
function slowStorage() {
  let change: () => void = () => {};
  const answers: ((page: EventPage) => void)[] = [];
  const storage = {
    watch: (_: unknown, onChange: () => void) => {
      change = onChange;
      return () => {};
    },
    events: { read: () => new Promise<EventPage>((resolve) => answers.push(resolve)) },
  } as unknown as HostStorage;
  /** With the events from the first to the last, which may be none. */
  const answer = (first: number, last: number, missed = 0): void => {
    const events = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({
      id: first + index,
      at: 0,
      message: said(first + index),
    }));
    answers.shift()?.({ events, missed, last });
  };
  return { storage, answer, change: () => change(), reads: () => answers.length };
}

function reader(feed: Feed): Wakeup {
  const made = new Wakeup();
  feed.enter(made);
  return made;
}

const ids = (feed: Feed, after: number): number[] | undefined =>
  feed.after(after)?.events.map(({ id }) => id);

describe('a feed', () => {
  it('asks the storage once for all readers who are woken, also for those who come during the look', async () => {
    const { storage, answer, change, reads } = slowStorage();
    const feed = new Feed(storage, REF, false);
    const [one, two, three] = [reader(feed), reader(feed), reader(feed)];
    const waits = [feed.next(3, one), feed.next(3, two)];
    change();
    await nextTick();
    // It was busy when the change was told, and has nothing new to read yet.
    const late = feed.next(3, three);
    await nextTick();
    expect(reads()).toBe(1);
    answer(4, 5);
    await Promise.all([...waits, late]);
    expect(ids(feed, 3)).toEqual([4, 5]);
    expect(reads()).toBe(0);
  });

  it('looks again for what has changed during a look', async () => {
    const { storage, answer, change, reads } = slowStorage();
    const feed = new Feed(storage, REF, false);
    const one = reader(feed);
    const first = feed.next(3, one);
    change();
    await nextTick();
    change();
    answer(4, 4);
    await first;
    const second = feed.next(4, one);
    await nextTick();
    expect(reads()).toBe(1);
    answer(5, 5);
    await second;
    expect(ids(feed, 4)).toEqual([5]);
  });

  it('knows nothing of events that were deleted: who is behind has to ask the storage', async () => {
    const { storage, answer, change } = slowStorage();
    const feed = new Feed(storage, REF, false);
    const [one, _behind] = [reader(feed), reader(feed)];
    const first = feed.next(3, one);
    change();
    await nextTick();
    answer(4, 5);
    await first;
    const second = feed.next(5, one);
    change();
    await nextTick();
    answer(10, 9, 4);
    await second;
    for (const after of [3, 4, 5, 6]) expect(ids(feed, after)).toBeUndefined();
    expect(ids(feed, 9)).toEqual([]);
  });

  it('wakes everybody when the conversation was deleted, also who was busy when the change was told', async () => {
    const { storage, answer, change } = slowStorage();
    const feed = new Feed(storage, REF, false);
    const [one, two] = [reader(feed), reader(feed)];
    const first = feed.next(3, one);
    change();
    await nextTick();
    await feed.next(3, two);
    const second = feed.next(3, two);
    answer(1, 0);
    await Promise.all([first, second]);
    expect(feed.after(3)).toBeUndefined();
    expect(ids(feed, 0)).toEqual([]);
  });

  it('shows nothing of what it has once a reader has found that there is less, and looks', async () => {
    const { storage, answer, reads } = slowStorage();
    const feed = new Feed(storage, REF, false);
    const [one, _behind] = [reader(feed), reader(feed)];
    feed.publish([said(4), said(5)], 5);
    expect(ids(feed, 3)).toEqual([4, 5]);
    feed.doubt();
    expect(feed.after(3)).toBeUndefined();
    const looking = feed.next(0, one);
    await nextTick();
    expect(reads()).toBe(1);
    answer(1, 0);
    await looking;
    expect(ids(feed, 0)).toEqual([]);
  });

  it('prefers what a run of this process tells to a look that began before it', async () => {
    const { storage, answer, change, reads } = slowStorage();
    const feed = new Feed(storage, REF, false);
    const [one, _behind] = [reader(feed), reader(feed)];
    const first = feed.next(3, one);
    change();
    await nextTick();
    feed.isFed = true;
    feed.publish([said(4), said(5)], 5);
    answer(4, 4);
    await nextTick();
    expect(reads()).toBe(1);
    answer(6, 5);
    await first;
    expect(ids(feed, 3)).toEqual([4, 5]);
  });

  it('lets a reader go that is told to end while the storage does not answer', async () => {
    const { storage, change, reads } = slowStorage();
    const feed = new Feed(storage, REF, false);
    const one = reader(feed);
    const waiting = feed.next(3, one);
    change();
    await nextTick();
    expect(reads()).toBe(1);
    one.end();
    await waiting;
    expect(feed.leave(one)).toBe(false);
  });
});
