import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { AWKWARD, type Case, leased, lost, OTHER, prompt, REF } from './case.js';

export const INBOX_CASES: readonly Case[] = [
  [
    'inbox: entries come back deeply equal, in order, until they are acknowledged',
    async ({ inbox, ...storage }) => {
      const first = await inbox.send(REF, prompt(AWKWARD));
      const second = await inbox.send(REF, { kind: 'interrupt', body: null });
      await inbox.send(OTHER, prompt('of another tenant'));
      const lease = await leased({ inbox, ...storage });
      const entries = await inbox.read(lease);
      deepStrictEqual(
        entries.map(({ id, number, kind, body }) => ({ id, number, kind, body })),
        // An interrupt is heard, however many prompts are before it.
        [
          { id: second.id, number: second.number, kind: 'interrupt', body: null },
          { id: first.id, number: first.number, ...prompt(JSON.parse(JSON.stringify(AWKWARD))) },
        ],
      );
      ok(first.number < second.number && first.id !== second.id);
      ok(entries.every(({ at }) => at > 1_600_000_000_000));
      deepStrictEqual(await inbox.read(lease), entries);
      deepStrictEqual(await inbox.read(lease, { limit: 1 }), entries.slice(0, 1));
      await storage.commit(lease, { acknowledge: [second.number] });
      await storage.commit(lease, { acknowledge: [second.number, 999] });
      deepStrictEqual(await inbox.read(lease), entries.slice(1));
      strictEqual((await storage.sessions.get(REF))?.inbox, 1);
      await storage.commit(lease, { acknowledge: [first.number] });
      deepStrictEqual(await inbox.read(lease), []);
    },
  ],
  [
    'inbox: the same idempotency key twice gives the same receipt and one entry, also after it was acknowledged',
    async (storage) => {
      const { inbox } = storage;
      const send = (body = 'hello') => inbox.send(REF, prompt(body), { idempotencyKey: 'mail 4711' });
      const receipts = await Promise.all([send(), send(), send(), send()]);
      for (const receipt of receipts) deepStrictEqual(receipt, receipts[0]);
      // Now that the conversation is there, too.
      const again = () => inbox.send(REF, { kind: 'interrupt', body: null }, { idempotencyKey: 'stop' });
      const stops = await Promise.all([again(), again(), again(), again()]);
      for (const stop of stops) deepStrictEqual(stop, stops[0]);
      const lease = await leased(storage);
      await storage.commit(lease, { events: ['an event'] });
      strictEqual((await inbox.read(lease)).length, 2);
      await storage.commit(lease, { acknowledge: [Number(receipts[0]?.number), Number(stops[0]?.number)] });
      deepStrictEqual(await send(), receipts[0]);
      deepStrictEqual(await inbox.read(lease), []);
      // Another conversation has keys of its own; another message under the same key would be lost without a word.
      const other = await inbox.send(OTHER, prompt('hello'), { idempotencyKey: 'mail 4711' });
      ok(other.id !== receipts[0]?.id);
      await rejects(send('something else'), { code: 'INVALID_OPTION', option: 'idempotencyKey' });
    },
  ],
  [
    'inbox: a receipt names the last event before the entry',
    async (storage) => {
      const lease = await leased(storage);
      strictEqual((await storage.commit(lease, { events: ['one', 'two'] })).event, 2);
      strictEqual((await storage.inbox.send(REF, prompt('now'))).event, 2);
    },
  ],
  [
    'inbox: concurrent senders lose nothing, and each keeps its own order',
    async (storage) => {
      const sender = async (name: string): Promise<void> => {
        for (let index = 0; index < 10; index += 1) await storage.inbox.send(REF, prompt([name, index]));
      };
      await Promise.all(['a', 'b', 'c', 'd'].map(sender));
      const bodies = (await storage.inbox.read(await leased(storage))).map(
        ({ body }) => body as [string, number],
      );
      strictEqual(bodies.length, 40);
      for (const name of ['a', 'b', 'c', 'd']) {
        const own = bodies.filter(([from]) => from === name).map(([, index]) => index);
        deepStrictEqual(own, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      }
    },
  ],
  [
    'inbox: a full queue refuses prompts with QUEUE_FULL, and nothing else, and takes them again once one is acknowledged',
    async (storage) => {
      const { inbox } = storage;
      const full = { code: 'QUEUE_FULL' };
      const sent = await Promise.allSettled(
        Array.from({ length: 12 }, (_, index) =>
          inbox.send({ tenant: `t${index % 2}`, session: `s${index}` }, prompt('hello'), {
            limits: { all: 5 },
          }),
        ),
      );
      strictEqual(sent.filter(({ status }) => status === 'fulfilled').length, 5);
      await rejects(inbox.send(REF, prompt('x'), { limits: { all: 5 } }), { ...full, of: 'all', limit: 5 });
      await inbox.send(REF, { kind: 'interrupt', body: null }, { limits: { all: 5 } });
      await inbox.send(REF, prompt('one'), { limits: { tenant: 1, session: 1 } });
      const more = { ...REF, session: 'another' };
      await rejects(inbox.send(more, prompt('x'), { limits: { tenant: 1 } }), { ...full, of: 'tenant' });
      await rejects(inbox.send(REF, prompt('x'), { limits: { session: 1 } }), { ...full, of: 'session' });
      strictEqual(await storage.sessions.get(more), undefined, 'what was refused has left something behind');
      const lease = await leased(storage);
      const numbers = (await inbox.read(lease)).map(({ number }) => number);
      await storage.commit(lease, { acknowledge: numbers });
      await inbox.send(more, prompt('x'), { limits: { tenant: 1, session: 1 } });
    },
  ],
  [
    'inbox: a wake is called when the conversation is queued, and if it fails nothing is stored',
    async (storage) => {
      const woken: unknown[] = [];
      const wake = (ref: unknown): void => void woken.push(ref);
      const refuse = (): Promise<void> => Promise.reject(new Error('no engine'));
      await rejects(
        storage.inbox.send(REF, prompt('one'), { wake: refuse, idempotencyKey: 'a' }),
        /no engine/,
      );
      await storage.inbox.send(REF, prompt('two'), { wake, idempotencyKey: 'a' });
      deepStrictEqual(woken, [REF]);
      await storage.inbox.send(REF, prompt('two'), { wake, idempotencyKey: 'a' });
      strictEqual(woken.length, 1, 'what was sent again has woken again');
      const lease = await leased(storage);
      await storage.inbox.send(REF, prompt('three'), { wake });
      strictEqual(woken.length, 1, 'who runs was woken');
      const entries = await storage.inbox.read(lease);
      deepStrictEqual(
        entries.map(({ body }) => body),
        ['two', 'three'],
      );
      await storage.commit(lease, { acknowledge: [Number(entries[0]?.number)] });
      await rejects(storage.commit(lease, { release: { state: 'idle', wake: refuse } }), /no engine/);
      strictEqual((await storage.commit(lease, { release: { state: 'idle', wake } })).state, 'queued');
      strictEqual(woken.length, 2);
    },
  ],
  [
    'inbox: names that cannot be stored, and values that are no JSON, are refused',
    async ({ inbox }) => {
      const circle: Record<string, unknown> = {};
      circle.again = circle;
      for (const name of ['', 'a\u0000b', 'half \ud800', 'x'.repeat(257), 7 as unknown as string]) {
        await rejects(inbox.send({ ...REF, tenant: name }, prompt('x')), { code: 'INVALID_OPTION' });
        await rejects(inbox.send({ ...REF, session: name }, prompt('x')), { code: 'INVALID_OPTION' });
        await rejects(inbox.send(REF, prompt('x'), { idempotencyKey: name }), { code: 'INVALID_OPTION' });
      }
      await rejects(inbox.send(REF, prompt(circle)), { code: 'INVALID_OPTION' });
      await rejects(inbox.send(REF, prompt(1n)), { code: 'INVALID_OPTION' });
      const long = 'ä'.repeat(256);
      await inbox.send({ tenant: long, session: long }, prompt('x'), { idempotencyKey: long });
    },
  ],
  [
    'inbox: only the holder of the lease reads and acknowledges',
    async (storage) => {
      const stale = await leased(storage);
      await storage.commit(stale, { release: { state: 'idle' } });
      await lost(storage.inbox.read(stale));
      await lost(storage.commit(stale, { acknowledge: [1] }));
      strictEqual((await storage.inbox.read(await leased(storage))).length, 1);
    },
  ],
];
