import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import type { HostStorage } from '../../host/storage/port/storage.js';
import { type Case, leased, lost, prompt, REF } from './case.js';

/** All that a commit can change. */
async function seen(storage: HostStorage) {
  const session = await storage.sessions.get(REF);
  ok(session);
  const { events } = await storage.events.read(REF);
  return {
    state: session.state,
    inbox: session.inbox,
    event: session.event,
    events: events.map(({ message }) => message),
    questions: (await storage.approvals.list()).map(({ key }) => key),
  };
}

export const COMMIT_CASES: readonly Case[] = [
  [
    'commit: events, acknowledgements, withdrawals and the release are stored together',
    async (storage) => {
      await storage.inbox.send(REF, prompt('one'));
      await storage.inbox.send(REF, prompt('two'));
      const lease = await leased(storage);
      for (const key of ['a', 'b', 'c']) await storage.approvals.ask(lease, key, {});
      deepStrictEqual(await storage.commit(lease, {}), { event: 0, state: 'running' });
      deepStrictEqual(
        await storage.commit(lease, { events: ['x', 'y'], acknowledge: [1], withdraw: ['b'] }),
        {
          event: 2,
          state: 'running',
        },
      );
      const running = { state: 'running', inbox: 1, event: 2, events: ['x', 'y'], questions: ['a', 'c'] };
      deepStrictEqual(await seen(storage), running);
      deepStrictEqual(
        await storage.commit(lease, {
          events: ['z'],
          acknowledge: [1, 2],
          withdraw: 'all',
          release: { state: 'idle' },
        }),
        { event: 3, state: 'idle' },
      );
      deepStrictEqual(await seen(storage), {
        state: 'idle',
        inbox: 0,
        event: 3,
        events: ['x', 'y', 'z'],
        questions: [],
      });
      await lost(storage.commit(lease, {}));
    },
  ],
  [
    'commit: a release looks at what is left in the inbox after the acknowledgements of the same commit',
    async (storage) => {
      await storage.inbox.send(REF, prompt('one'));
      await storage.inbox.send(REF, prompt('two'));
      await storage.inbox.send(REF, { kind: 'interrupt', body: null });
      const release = async (acknowledge: number[], state: 'idle' | 'waiting' | 'parked') =>
        (await storage.commit(await leased(storage), { acknowledge, release: { state } })).state;
      strictEqual(await release([1], 'waiting'), 'queued');
      strictEqual(await release([3], 'waiting'), 'waiting');
      strictEqual(await release([], 'idle'), 'queued');
      strictEqual(await release([2], 'idle'), 'idle');
      await storage.inbox.send(REF, prompt('three'));
      strictEqual(await release([], 'parked'), 'parked');
    },
  ],
  [
    'commit: if the wake of its release fails, or a part is no JSON, nothing is stored: all of it or nothing',
    async (storage) => {
      await storage.inbox.send(REF, prompt('one'));
      await storage.inbox.send(REF, prompt('two'));
      await storage.inbox.send(REF, prompt('three'));
      const lease = await leased(storage);
      await storage.approvals.ask(lease, 'a', {});
      await storage.commit(lease, { events: ['before'] });
      const before = await seen(storage);
      const entries = await storage.inbox.read(lease);
      const commit = { events: ['after'], acknowledge: [2, 1], withdraw: 'all' } as const;
      const refuse = (): Promise<void> => Promise.reject(new Error('no engine'));
      const failing = { ...commit, release: { state: 'idle', wake: refuse } } as const;
      await rejects(storage.commit(lease, failing), { code: 'WAKE_FAILED' });
      await rejects(storage.commit(lease, { ...commit, events: ['after', 1n] }), { code: 'INVALID_OPTION' });
      const late = { ...commit, release: { state: 'queued', delayMs: -1 } } as const;
      await rejects(storage.commit(lease, late), { code: 'INVALID_OPTION' });
      deepStrictEqual(await seen(storage), before);
      deepStrictEqual(await storage.inbox.read(lease), entries);
      // It is still held, and the next one is numbered as if nothing had been.
      const woken: unknown[] = [];
      const wake = (ref: unknown): void => void woken.push(ref);
      deepStrictEqual(await storage.commit(lease, { ...commit, release: { state: 'idle', wake } }), {
        event: 2,
        state: 'queued',
      });
      deepStrictEqual(woken, [REF]);
      deepStrictEqual(await seen(storage), {
        state: 'queued',
        inbox: 1,
        event: 2,
        events: ['before', 'after'],
        questions: [],
      });
    },
  ],
  [
    'commit: entries that are acknowledged twice at the same time count once',
    async (storage) => {
      for (const body of ['one', 'two', 'three']) await storage.inbox.send(REF, prompt(body));
      const lease = await leased(storage);
      await Promise.all(
        [[1], [1, 2], [2, 1], [2]].map((acknowledge) => storage.commit(lease, { acknowledge })),
      );
      strictEqual((await storage.sessions.get(REF))?.inbox, 1);
      strictEqual((await storage.commit(lease, { release: { state: 'idle' } })).state, 'queued');
    },
  ],
];
