/** Events that are no longer there, conversations that are deleted, and readers that are far behind (R62, scale 14). */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { type Host, type HostEvent, type HostStorage, memoryStorage } from '../../src/host/index.js';
import { clock, useClock } from '../../src/protocol/base/clock.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { isDone, REF, shared, until, words } from './support/host.js';
import {
  counted,
  hasPostgres,
  hostOf,
  onPostgres,
  pieces,
  speaking,
  storedEvents,
  upTo,
} from './support/readers.js';

async function ask(host: Host, prompt: string): Promise<HostEvent[]> {
  const { id, event } = await host.send(REF, prompt);
  return until(host, REF, (message) => isDone(message) && JSON.stringify(message).includes(id), event);
}

const missed = (count: number) => ({ type: 'host', subtype: 'missed', count });

function behave(make: () => HostStorage): void {
  const talking = (storage: HostStorage): Host =>
    hostOf(speaking(pieces), { storage: shared(storage), events: { batchMs: 1 } });

  it('says how many events are no longer kept, by number, and goes on with the rest', async () => {
    const storage = make();
    await using host = talking(storage);
    await ask(host, '3');
    const all = await storedEvents(storage, REF);
    // One that has seen everything, and one in the middle of the first page.
    const current = host.events(REF, { after: all.length });
    const waiting = current.next();
    const slow = host.events(REF);
    expect((await slow.next()).value?.id).toBe(1);
    await storage.sweep({ events: { maxCount: 4 } });
    const late = await upTo(host, REF, all.length);
    expect(late[0]).toMatchObject({ id: all.length - 4, message: missed(all.length - 4) });
    expect(late.slice(1)).toEqual(all.slice(-4));
    expect(await upTo(host, REF, all.length, all.length - 2)).toEqual(all.slice(-2));
    const more = await ask(host, '1');
    expect((await waiting).value).toEqual(expect.objectContaining({ id: all.length + 1 }));
    await current.return();
    const rest: HostEvent[] = [];
    for await (const event of slow) {
      rest.push(event);
      if (event.id === more.at(-1)?.id) break;
    }
    expect(rest.filter(({ message }) => message.type === 'host' && message.subtype === 'missed')).toEqual([]);
    expect(rest.map(({ id }) => id)).toEqual(rest.map((_, index) => index + 2));
    await storage.close();
  });

  it('says so by age, also when nothing is left', async () => {
    const storage = make();
    await using host = talking(storage);
    const before = (await ask(host, '3')).length;
    await vi.waitFor(async () => {
      await storage.sweep({ events: { maxAgeMs: 1 } });
      expect(await storedEvents(storage, REF)).toEqual([]);
    });
    const [late, half, current] = [
      host.events(REF),
      host.events(REF, { after: 2 }),
      host.events(REF, { after: before }),
    ];
    const first = await late.next();
    expect(first.value).toMatchObject({ id: before, message: missed(before) });
    expect((await half.next()).value).toMatchObject({ id: before, message: missed(before - 2) });
    const next = Promise.all([late.next(), half.next(), current.next()]);
    await ask(host, '1');
    expect((await next).map(({ value }) => value?.id)).toEqual(Array(3).fill(before + 1));
    await Promise.all([late.return(), half.return(), current.return()]);
    await storage.close();
  });

  it('of a conversation that was deleted shows nothing, and follows the one that begins in its place', async () => {
    const storage = make();
    await using host = talking(storage);
    // What it has not read is kept in memory for it.
    const stopped = host.events(REF);
    const read = stopped.next();
    const before = await ask(host, '9');
    await read;
    const following = host.events(REF, { after: before.length });
    const next = following.next();
    await host.remove(REF);
    const fresh = host.events(REF);
    const freshNext = fresh.next();
    const after = await ask(host, '2');
    expect(after[0]?.id).toBe(1);
    for (const first of [await next, await freshNext]) {
      expect(first.value).toEqual(expect.objectContaining({ id: 1, message: after[0]?.message }));
    }
    const [rest] = await Promise.all([
      upTo(host, REF, after.length),
      following.return(),
      fresh.return(),
      stopped.return(),
    ]);
    expect(words(rest)).toEqual(words(after));
    await storage.close();
  });

  it('that has stopped reading holds up nobody, and reads everything when it goes on', async () => {
    const storage = make();
    const counts = counted(storage);
    await using host = talking(counts.storage);
    const stopped = host.events(REF);
    const first = stopped.next();
    for (let turn = 0; turn < 3; turn += 1) await ask(host, '1');
    expect((await first).value?.id).toBe(1);
    while ((await storedEvents(storage, REF)).length < LIMITS.hostRecentEvents + 200) await ask(host, '1');
    const all = await storedEvents(storage, REF);
    const rest: HostEvent[] = [];
    for await (const event of stopped) {
      rest.push(event);
      if (event.id === all.length) break;
    }
    expect(rest.map(({ id }) => id)).toEqual(all.slice(1).map(({ id }) => id));
    await storage.close();
  });
}

describe('a reader, in memory', () => behave(memoryStorage));

describe.skipIf(!hasPostgres)('a reader, on PostgreSQL', () => behave(onPostgres()));

describe('a reader that has stopped reading', () => {
  it('costs no memory, however much is said meanwhile (scale 14)', async () => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    const used = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const storage = memoryStorage();
    const model = speaking(async function* () {
      yield 'x'.repeat(200_000);
    });
    await using host = hostOf(model, { storage, events: { batchMs: 1, partialMessages: false } });
    /** How much the memory grows by 60 answers of 200,000 characters, with so many readers that have stopped. */
    const growth = async (count: number): Promise<number> => {
      const ref = { ...REF, session: `${count} readers` };
      const say = async (): Promise<void> => {
        const { id, event } = await host.send(ref, 'Go.');
        await until(host, ref, (message) => isDone(message) && JSON.stringify(message).includes(id), event);
        await storage.sweep({ events: { maxCount: 1 } });
      };
      const readers = Array.from({ length: count }, () => host.events(ref));
      const first = readers.map((reader) => reader.next());
      await say();
      await Promise.all(first);
      const before = used();
      for (let turn = 0; turn < 60; turn += 1) await say();
      const grown = used() - before;
      await Promise.all(readers.map((reader) => reader.return()));
      await host.remove(ref);
      return grown;
    };
    await growth(1);
    // Both have the transcript; the rest is what is kept for readers.
    expect((await growth(20)) - (await growth(0))).toBeLessThan(3 * LIMITS.hostRecentChars);
  });
});

describe('a host', () => {
  it('deletes by itself what is no longer to be kept, and says what has kept it from that', async () => {
    const rounds: (() => void)[] = [];
    const real = clock;
    const restore = useClock({
      ...real,
      setInterval: (callback, milliseconds) => {
        if (milliseconds !== LIMITS.hostSweepMs) return real.setInterval(callback, milliseconds);
        rounds.push(callback);
        return real.setInterval(() => {}, 2 ** 30);
      },
    });
    try {
      const storage = memoryStorage();
      let isAway = false;
      const problems: string[] = [];
      await using host = hostOf(speaking(pieces), {
        storage: {
          ...storage,
          sweep: async (retention) => {
            if (isAway) throw new Error('away');
            return storage.sweep(retention);
          },
        },
        retention: { events: { maxCount: 2 } },
        onProblem: ({ during, error }) => problems.push(`${during}: ${String(error)}`),
      });
      await ask(host, '3');
      isAway = true;
      rounds[0]?.();
      await vi.waitFor(() =>
        expect(problems).toEqual(['the deletion of what is no longer kept: Error: away']),
      );
      isAway = false;
      rounds[0]?.();
      await vi.waitFor(async () => expect(await storedEvents(storage, REF)).toHaveLength(2));
    } finally {
      restore();
    }
  });
});
