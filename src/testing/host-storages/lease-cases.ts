import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { SessionRef } from '../../host/storage/port/conversation.js';
import type { HostStorage } from '../../host/storage/port/storage.js';
import { type Case, expired, leased, lost, OTHER, prompt, REF, TTL_MS, until } from './case.js';

const by = (owner: string) => ({ owner, ttlMs: TTL_MS });
const key = { projectKey: 'project', sessionId: 'session' };
const call = { sessionId: 'session', toolUseId: 'toolu_1', toolName: 'tool', input: {} };

async function queue(storage: HostStorage, tenant: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await storage.inbox.send({ tenant, session: `${tenant}${String(index).padStart(3, '0')}` }, prompt('go'));
  }
}

const names = (refs: readonly SessionRef[]): string[] => refs.map(({ session }) => session).sort();

export const LEASE_CASES: readonly Case[] = [
  [
    'lease: one of many takes a conversation, the others are told how long it is held',
    async (storage) => {
      deepStrictEqual(await storage.leases.acquire(REF, by('a')), { refused: 'unknown' });
      await storage.inbox.send(REF, prompt('hello'));
      const outcomes = await Promise.all(
        ['a', 'b', 'c', 'd'].map((owner) => storage.leases.acquire(REF, by(owner))),
      );
      const leases = outcomes.flatMap(({ lease }) => lease ?? []);
      strictEqual(leases.length, 1);
      for (const outcome of outcomes) {
        if (outcome.lease !== undefined) continue;
        ok(outcome.refused === 'held' && outcome.forMs > 0 && outcome.forMs <= TTL_MS);
      }
      const session = await storage.sessions.get(REF);
      strictEqual(session?.state, 'running');
      strictEqual(session.owner, leases[0]?.owner);
    },
  ],
  [
    'lease: the fence grows, and says whether somebody else has written in between',
    async (storage) => {
      const first = await leased(storage);
      strictEqual(first.previous, 0);
      await storage.commit(first, { release: { state: 'idle' } });
      const second = await leased(storage);
      ok(second.fence > first.fence);
      strictEqual(second.previous, first.fence);
      const other = await leased(storage, OTHER);
      ok(other.fence > second.fence);
    },
  ],
  [
    'lease: after a takeover every write of the old holder is refused, and changes nothing',
    async (storage) => {
      const old = await expired(storage);
      const current = await leased(storage);
      strictEqual(current.previous, old.fence);
      strictEqual(current.crashes, 1);
      await lost(storage.commit(old, { events: ['late'] }));
      await lost(storage.commit(old, { acknowledge: [1] }));
      await lost(storage.inbox.read(old));
      await lost(storage.journal(old).look(call));
      await lost(storage.journal(old).begin(call));
      await lost(storage.journal(old).end(call, 'late'));
      await lost(storage.approvals.ask(old, 'toolu_1', {}));
      await lost(storage.commit(old, { withdraw: 'all' }));
      await lost(storage.transcript(old).append(key, [{ type: 'user' }]));
      await lost(storage.transcript(old).delete(key));
      await lost(storage.commit(old, { release: { state: 'idle' } }));
      deepStrictEqual(await storage.leases.renew([old, current], { ttlMs: TTL_MS }), [old]);
      strictEqual((await storage.events.read(REF)).last, 0);
      strictEqual((await storage.inbox.read(current)).length, 1);
      deepStrictEqual(await storage.journal(current).begin(call), { state: 'new' });
      deepStrictEqual(await storage.approvals.list(), []);
      strictEqual(await storage.transcript(current).load(key), null);
      strictEqual((await storage.sessions.get(REF))?.state, 'running');
    },
  ],
  [
    'lease: who is late, but not taken over, goes on',
    async (storage) => {
      const lease = await expired(storage);
      await storage.commit(lease, { events: ['still here'] });
      deepStrictEqual(await storage.leases.renew([lease], { ttlMs: TTL_MS }), []);
      const outcome = await storage.leases.acquire(REF, by('b'));
      ok(outcome.lease === undefined && outcome.refused === 'held');
    },
  ],
  [
    'lease: what arrives while a worker lets go is not left lying',
    async (storage) => {
      for (let round = 0; round < 10; round += 1) {
        const ref = { ...REF, session: `race-${round}` };
        const lease = await leased(storage, ref);
        await storage.commit(lease, { acknowledge: [1] });
        await Promise.all([
          storage.inbox.send(ref, prompt('now')),
          storage.commit(lease, { release: { state: 'idle' } }),
        ]);
        strictEqual((await storage.sessions.get(ref))?.state, 'queued');
      }
    },
  ],
  [
    'lease: an answer that arrives while a worker lets go to wait for it is not left lying',
    async (storage) => {
      for (let round = 0; round < 10; round += 1) {
        const ref = { ...REF, session: `race-${round}` };
        const lease = await leased(storage, ref);
        const { id } = await storage.approvals.ask(lease, 'toolu_1', {});
        const [outcome] = await Promise.all([
          storage.approvals.answer(id, 'yes'),
          storage.commit(lease, { acknowledge: [1], release: { state: 'waiting' } }),
        ]);
        strictEqual(outcome, 'taken');
        strictEqual((await storage.sessions.get(ref))?.state, 'queued');
      }
      // Also one that was there before, and an interrupt.
      for (const kind of ['answer', 'interrupt'] as const) {
        const lease = await leased(storage, { ...REF, session: kind });
        await storage.inbox.send(lease, { kind, body: null });
        strictEqual((await storage.commit(lease, { release: { state: 'waiting' } })).state, 'queued');
      }
    },
  ],
  [
    'lease: while a conversation waits for an answer, a prompt does not queue it, and an interrupt does',
    async (storage) => {
      const lease = await leased(storage);
      strictEqual((await storage.commit(lease, { release: { state: 'waiting' } })).state, 'waiting');
      await storage.inbox.send(REF, prompt('meanwhile'));
      strictEqual((await storage.sessions.get(REF))?.state, 'waiting');
      deepStrictEqual(await storage.leases.claim({ ...by('b'), count: 10 }), []);
      await storage.inbox.send(REF, { kind: 'interrupt', body: null });
      strictEqual((await storage.sessions.get(REF))?.state, 'queued');
      const again = await leased(storage);
      strictEqual((await storage.commit(again, { release: { state: 'waiting' } })).state, 'queued');
    },
  ],
  [
    'lease: a conversation that loses its worker each time is parked with a reason, keeps what it is sent, and can be released',
    async (storage) => {
      const options = { ...by('w'), ttlMs: 1, maxCrashes: 3 };
      await storage.inbox.send(REF, prompt('hello'));
      await storage.inbox.send(OTHER, prompt('hello'));
      for (let crash = 0; crash < 3; crash += 1) {
        strictEqual((await storage.leases.acquire(REF, options)).lease?.crashes, crash);
        await until(async () => (await storage.sessions.get(REF))?.state === 'queued');
      }
      const outcome = await storage.leases.acquire(REF, options);
      ok(outcome.lease === undefined && outcome.refused === 'parked');
      ok(/3 times.*"w"/.test(outcome.reason), outcome.reason);
      strictEqual((await storage.sessions.get(REF))?.reason, outcome.reason);
      await storage.inbox.send(REF, prompt('more'));
      // Others are not disturbed.
      deepStrictEqual(names(await storage.leases.claim({ ...by('b'), count: 10 })), [OTHER.session]);
      strictEqual(await storage.sessions.unpark(REF), true);
      strictEqual(await storage.sessions.unpark(REF), false);
      const lease = await leased(storage);
      strictEqual(lease.crashes, 0);
      strictEqual((await storage.inbox.read(lease)).length, 2);
    },
  ],
  [
    'lease: a worker that acknowledges or lets go is no crash; one that parks says why',
    async (storage) => {
      await expired(storage);
      const second = await leased(storage, REF, { ttlMs: 1 });
      strictEqual(second.crashes, 1);
      await storage.commit(second, { acknowledge: [1] });
      await until(async () => (await storage.sessions.get(REF))?.state === 'queued');
      const third = await leased(storage);
      strictEqual(third.crashes, 1);
      strictEqual(
        (await storage.commit(third, { release: { state: 'parked', reason: 'No credit' } })).state,
        'parked',
      );
      strictEqual((await storage.sessions.get(REF))?.reason, 'No credit');
      deepStrictEqual(await storage.leases.acquire(REF, by('w')), { refused: 'parked', reason: 'No credit' });
    },
  ],
  [
    'claim: each tenant in turn, within the limits, and a tenant with one conversation does not wait for one with many',
    async (storage) => {
      await queue(storage, 'a', 12);
      await queue(storage, 'b', 1);
      await queue(storage, 'c', 2);
      const claim = (count: number, limits: { running?: number; perTenant?: number } = {}) =>
        storage.leases.claim({ ...by('w'), count, ...limits });
      deepStrictEqual(names(await claim(4)), ['a000', 'a001', 'b000', 'c000']);
      // `a` has two running, `c` one.
      const next = await claim(1);
      deepStrictEqual(names(next), ['c001']);
      deepStrictEqual(await claim(10, { running: 5 }), []);
      deepStrictEqual(names(await claim(10, { running: 6 })), ['a002']);
      deepStrictEqual(await claim(10, { perTenant: 3 }), []);
      await queue(storage, 'd', 1);
      deepStrictEqual(names(await claim(1)), ['d000']);
      const [lease] = next;
      ok(lease);
      await storage.commit(lease, { release: { state: 'queued', delayMs: TTL_MS } });
      deepStrictEqual(names(await claim(2)), ['a003', 'a004']);
      deepStrictEqual(await storage.sessions.counts('c'), {
        idle: 0,
        queued: 1,
        running: 1,
        waiting: 0,
        parked: 0,
      });
    },
  ],
  [
    'claim: a tenant does not wait for all that others have queued before it, however few may run',
    async (storage) => {
      await queue(storage, 'a', 5);
      await queue(storage, 'b', 5);
      const turns: string[] = [];
      const turn = async (): Promise<void> => {
        const [lease] = await storage.leases.claim({ ...by('w'), count: 1 });
        ok(lease);
        turns.push(lease.session);
        await storage.commit(lease, { acknowledge: [1], release: { state: 'idle' } });
      };
      for (let index = 0; index < 3; index += 1) await turn();
      await queue(storage, 'c', 2);
      for (let index = 0; index < 5; index += 1) await turn();
      deepStrictEqual(turns, ['a000', 'b000', 'a001', 'c000', 'b001', 'a002', 'c001', 'b002']);
    },
  ],
  [
    'claim: no two workers get one conversation, and limits hold over all of them',
    async (storage) => {
      await queue(storage, 'a', 10);
      await queue(storage, 'b', 10);
      const claims = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          storage.leases.claim({ ...by(`w${index}`), count: 4, running: 9, perTenant: 5 }),
        ),
      );
      const all = claims.flat();
      strictEqual(new Set(names(all)).size, 9);
      strictEqual(all.length, 9);
      ok(all.filter(({ tenant }) => tenant === 'a').length <= 5);
    },
  ],
  [
    'claim: of conversations that have lost too many workers no more than wanted, and others are not held up by them',
    async (storage) => {
      const crash = async (session: string): Promise<void> => {
        await storage.inbox.send({ tenant: 'a', session }, prompt('go'));
        for (let round = 0; round < 2; round += 1) {
          const { lease } = await storage.leases.acquire({ tenant: 'a', session }, { owner: 'a', ttlMs: 1 });
          ok(lease !== undefined);
          await until(async () => (await storage.sessions.get(lease))?.state === 'queued');
        }
      };
      for (const session of ['bad1', 'bad2', 'bad3']) await crash(session);
      const claim = (count: number, suspects?: { crashes: number; count: number }) =>
        storage.leases.claim({ ...by('w'), count, suspects });
      const [one, ...others] = await claim(3, { crashes: 2, count: 1 });
      deepStrictEqual([one?.crashes, others], [2, []]);
      await storage.inbox.send({ tenant: 'a', session: 'good' }, prompt('go'));
      deepStrictEqual(names(await claim(1, { crashes: 2, count: 0 })), ['good']);
      deepStrictEqual(await claim(3, { crashes: 2, count: 0 }), []);
      strictEqual((await claim(3, { crashes: 3, count: 0 })).length, 2);
    },
  ],
  [
    'claim: takes over from workers that were lost',
    async (storage) => {
      const old = await expired(storage);
      const [lease] = await storage.leases.claim({ ...by('b'), count: 1 });
      strictEqual(lease?.previous, old.fence);
      strictEqual(lease.crashes, 1);
      await lost(storage.commit(old, { events: ['late'] }));
    },
  ],
];
