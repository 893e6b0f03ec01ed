import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import type { EventPage } from '../../host/storage/port/events.js';
import { AWKWARD, type Case, leased, OTHER, prompt, REF, until } from './case.js';

const idsOf = ({ events }: EventPage): number[] => events.map(({ id }) => id);

export const EVENT_CASES: readonly Case[] = [
  [
    'events: numbered 1, 2, 3 in each conversation, deeply equal, read in pages after an id',
    async (storage) => {
      deepStrictEqual(await storage.events.read(REF), { events: [], missed: 0, last: 0 });
      const lease = await leased(storage);
      const other = await leased(storage, OTHER);
      strictEqual((await storage.commit(lease, { events: [AWKWARD, 'two'] })).event, 2);
      strictEqual((await storage.commit(other, { events: ['elsewhere'] })).event, 1);
      strictEqual((await storage.commit(lease, { events: [] })).event, 2);
      strictEqual((await storage.commit(lease, { events: [null, undefined, 5] })).event, 5);
      const all = await storage.events.read(REF);
      deepStrictEqual(
        all.events.map(({ message }) => message),
        [JSON.parse(JSON.stringify(AWKWARD)), 'two', null, null, 5],
      );
      deepStrictEqual(idsOf(all), [1, 2, 3, 4, 5]);
      ok(all.events.every(({ at }) => at > 1_600_000_000_000));
      const page = await storage.events.read(REF, { after: 2, limit: 2 });
      deepStrictEqual(
        { ids: idsOf(page), last: page.last, missed: page.missed },
        { ids: [3, 4], last: 5, missed: 0 },
      );
      deepStrictEqual(idsOf(await storage.events.read(REF, { after: 5 })), []);
      await rejects(storage.events.read(REF, { after: -1 }), { code: 'INVALID_OPTION' });
    },
  ],
  [
    'events: concurrent appends leave no gap and no double, and stay together',
    async (storage) => {
      const lease = await leased(storage);
      const batches = Array.from({ length: 20 }, (_, index) => [`${index}a`, `${index}b`, `${index}c`]);
      await Promise.all(batches.map((batch) => storage.commit(lease, { events: batch })));
      const page = await storage.events.read(REF);
      deepStrictEqual(
        idsOf(page),
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
      const messages = page.events.map(({ message }) => message);
      for (const [first, second] of batches)
        strictEqual(messages.indexOf(second), messages.indexOf(first) + 1);
    },
  ],
  [
    'events: beyond the number or the age they are swept, and who read before is told how many are missed',
    async (storage) => {
      const lease = await leased(storage);
      await storage.commit(lease, { events: ['1', '2', '3', '4', '5'] });
      await storage.sweep({ events: { maxCount: 10, maxAgeMs: 3_600_000 } });
      strictEqual((await storage.events.read(REF)).events.length, 5);
      await storage.sweep({ events: { maxCount: 2 } });
      const rest = await storage.events.read(REF, { after: 1 });
      deepStrictEqual(
        { ids: idsOf(rest), missed: rest.missed, last: rest.last },
        { ids: [4, 5], missed: 2, last: 5 },
      );
      strictEqual((await storage.events.read(REF, { after: 3 })).missed, 0);
      // By the storage's clock: the last one is at least a millisecond old by then.
      await until(async () => {
        await storage.sweep({ events: { maxAgeMs: 1 } });
        return (await storage.events.read(REF)).events.length === 0;
      });
      const none = await storage.events.read(REF, { after: 4 });
      deepStrictEqual({ missed: none.missed, last: none.last }, { missed: 1, last: 5 });
      strictEqual((await storage.commit(lease, { events: ['6'] })).event, 6);
      deepStrictEqual(idsOf(await storage.events.read(REF, { after: 5 })), [6]);
    },
  ],
  [
    'watch: who watches is called after each change of what it watches, until it ends',
    async (storage) => {
      const calls = { events: 0, inbox: 0, approvals: 0, all: 0, queue: 0 };
      const count = (name: keyof typeof calls) => () => {
        calls[name] += 1;
      };
      const ends = [
        storage.watch({ kind: 'events', ...REF }, count('events')),
        storage.watch({ kind: 'inbox', ...REF }, count('inbox')),
        storage.watch({ kind: 'approvals', tenant: REF.tenant }, count('approvals')),
        storage.watch({ kind: 'approvals' }, count('all')),
        storage.watch({ kind: 'queue' }, count('queue')),
      ];
      const changed = async (
        names: (keyof typeof calls)[],
        change: () => Promise<unknown>,
      ): Promise<void> => {
        const before = { ...calls };
        await change();
        await until(() => names.every((name) => calls[name] > before[name]));
      };
      await changed(['inbox', 'queue'], () => storage.inbox.send(REF, prompt('hello')));
      const lease = await leased(storage);
      await changed(['events'], () => storage.commit(lease, { events: ['one'] }));
      let id = '';
      await changed(['approvals', 'all'], async () => {
        ({ id } = await storage.approvals.ask(lease, 'toolu_1', {}));
      });
      await changed(['approvals', 'all', 'inbox'], () => storage.approvals.answer(id, 'yes'));
      for (const end of ends) end();
      const before = { ...calls };
      await storage.commit(lease, { events: ['two'] });
      deepStrictEqual(calls, before);
    },
  ],
];
