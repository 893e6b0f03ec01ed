/** Events of a conversation, for any number of readers who come and go while it runs (R62, scale 14). */
import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  type Host,
  type HostEvent,
  type HostStorage,
  memoryStorage,
  type SessionRef,
} from '../../src/host/index.js';
import fc from '../support/property.js';
import { isDone, REF, until } from './support/host.js';
import {
  counted,
  hasPostgres,
  hostOf,
  onPostgres,
  pieces,
  speaking,
  storedEvents,
} from './support/readers.js';

/** A reader that comes after some events, reads some, goes away, and comes back from where it was. */
interface Visits {
  readonly from: number;
  /** It comes before there are so many events, as if it had seen those of a conversation that was deleted. */
  readonly isEarly: boolean;
  readonly reads: readonly number[];
  readonly pauses: readonly number[];
}

const visits = fc.record({
  from: fc.nat(12),
  isEarly: fc.boolean(),
  reads: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 6 }),
  pauses: fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
});

/** Reads a conversation to its end, with all visits, once it has so many events; returns what it was told. */
async function visit(
  host: Host,
  ref: SessionRef,
  { from, isEarly, reads, pauses }: Visits,
  end: Promise<number>,
): Promise<HostEvent[]> {
  const told: HostEvent[] = [];
  let last = from;
  let isOver = false;
  void end.then(() => {
    isOver = true;
  });
  while (!isEarly && !isOver && ((await host.session(ref))?.event ?? 0) < from) await nextTick();
  const read = async (isEnough: () => boolean, signal?: AbortSignal): Promise<void> => {
    for await (const event of host.events(ref, { after: last, signal })) {
      told.push(event);
      last = event.id;
      for (let tick = pauses[told.length % pauses.length] ?? 0; tick > 0; tick -= 1) await nextTick();
      if (isEnough()) return;
    }
  };
  for (const count of reads) {
    const before = told.length;
    const gone = new AbortController();
    void end.then(() => gone.abort());
    await read(() => told.length - before >= count, gone.signal);
  }
  const all = await end;
  if (last < all) await read(() => last >= all);
  return told;
}

async function manyReaders(
  storage: HostStorage,
  prompts: readonly number[],
  readers: readonly Visits[],
): Promise<void> {
  const ref = { ...REF, session: `many ${Math.random()}` };
  const host = hostOf(speaking(pieces), {
    storage: { ...storage, close: async () => {} },
    events: { batchMs: 1 },
  });
  await using _ = host;
  let ended: (last: number) => void = () => {};
  const end = new Promise<number>((resolve) => {
    ended = resolve;
  });
  const told = readers.map((each) => visit(host, ref, each, end));
  for (const prompt of prompts) {
    const { id } = await host.send(ref, String(prompt));
    const events = await until(
      host,
      ref,
      (message) => isDone(message) && JSON.stringify(message).includes(id),
    );
    expect(events.at(-1)?.message).toMatchObject({ outcome: 'answered' });
  }
  const all = await storedEvents(storage, ref);
  expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => index + 1));
  ended(all.length);
  for (const [index, events] of (await Promise.all(told)).entries()) {
    const { from = 0, isEarly } = readers[index] ?? {};
    const begin = isEarly && events[0]?.id === 1 ? 0 : from;
    const wanted = all.filter(({ id }) => id > begin);
    const got = events.map(({ id, message }) => [id, message]);
    expect(got).toEqual(wanted.map(({ id, message }) => [id, message]));
  }
  expect((await host.stats()).readers).toBe(0);
}

describe('readers of a running conversation, who come and go at any moment', () => {
  const anyTalk = [
    fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 3 }),
    fc.array(visits, { minLength: 1, maxLength: 12 }),
  ] as const;

  it('are told everything once and in order, from where they were (R62, scale 14; in memory)', async () => {
    await fc.assert(
      fc.asyncProperty(...anyTalk, (prompts, readers) => manyReaders(memoryStorage(), prompts, readers)),
      { numRuns: 60 },
    );
  });

  describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
    const make = onPostgres();
    it('are told everything once and in order, from where they were (R62, scale 14)', async () => {
      const storage = make();
      await fc.assert(
        fc.asyncProperty(...anyTalk, (prompts, readers) => manyReaders(storage, prompts, readers)),
        { numRuns: 12 },
      );
      await storage.close();
    });

    it('of another program, too: it hears of what the first one stores (R62)', async () => {
      const storage = make();
      const [first, second] = [storage, { ...storage, close: async () => {} }];
      const worker = hostOf(speaking(pieces), { storage: second, events: { batchMs: 1 } });
      // Runs nothing itself: it stands for a program that only serves readers.
      const readers = counted(elsewhere(first));
      const reading = hostOf(speaking(pieces), { storage: readers.storage });
      await using _ = worker;
      await using __ = reading;
      const all = Array.from({ length: 20 }, () => until(reading, REF, isDone));
      await worker.send(REF, '60');
      const [one, ...others] = await Promise.all(all);
      expect(one?.map(({ id }) => id)).toEqual(one?.map((_, index) => index + 1));
      for (const other of others) expect(other).toEqual(one);
    });
  });
});

/** Never finds anything to run. */
function elsewhere(storage: HostStorage): HostStorage {
  return { ...storage, leases: { ...storage.leases, claim: async () => [] } };
}

describe('100 readers of one conversation', () => {
  const talk = async (
    storage: HostStorage,
    readersOn: (storage: HostStorage) => HostStorage,
  ): Promise<{ reads: number; batches: number }> => {
    const counts = counted(storage);
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let spoken = 0;
    const model = speaking(async function* () {
      await gate;
      for (; spoken < 30; spoken += 1) {
        yield `${spoken} `;
        const before = counts.batches;
        // One batch for each piece.
        await vi.waitFor(() => expect(counts.batches).toBeGreaterThan(before), { interval: 1 });
      }
    });
    const host = hostOf(model, { storage: readersOn(counts.storage), events: { batchMs: 1 } });
    await using _ = host;
    await host.send(REF, 'Speak.');
    const readers = Array.from({ length: 100 }, () => until(host, REF, isDone));
    await vi.waitFor(async () => expect((await host.stats()).readers).toBe(100));
    await vi.waitFor(() => expect(counts.reads).toBeGreaterThanOrEqual(100));
    const before = { reads: counts.reads, batches: counts.batches };
    release();
    const all = await Promise.all(readers);
    const text = JSON.stringify(all[0]?.at(-2)?.message);
    expect(text).toContain(Array.from({ length: 30 }, (_, index) => `${index} `).join(''));
    for (const events of all) {
      expect(events.map(({ id, message }) => [id, message])).toEqual(
        all[0]?.map(({ id, message }) => [id, message]),
      );
    }
    return { reads: counts.reads - before.reads, batches: counts.batches - before.batches };
  };

  it('read the storage when they come, and not again for what this program stores (scale 14)', async () => {
    const { reads, batches } = await talk(memoryStorage(), (storage) => storage);
    expect(batches).toBeGreaterThanOrEqual(30);
    // One look after the turn, in case that somebody else has written since.
    expect(reads).toBeLessThanOrEqual(2);
  });

  describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
    const make = onPostgres();
    it('do not read it either for what the database says of the same changes (scale 14)', async () => {
      const { reads, batches } = await talk(make(), (storage) => storage);
      expect(batches).toBeGreaterThanOrEqual(30);
      expect(reads).toBeLessThanOrEqual(2);
    });
  });
});
