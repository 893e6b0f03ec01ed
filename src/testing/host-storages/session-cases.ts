import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { AWKWARD, type Case, leased, lost, OTHER, prompt, REF } from './case.js';

const call = (toolUseId: string) => ({ sessionId: 'session', toolUseId, toolName: 'tool', input: AWKWARD });

export const SESSION_CASES: readonly Case[] = [
  [
    'journal: a call is new once, then uncertain, and done with its first result when it has ended',
    async (storage) => {
      const journal = storage.journal(await leased(storage));
      const odd = call('\u0000 "odd" 🧵');
      deepStrictEqual(await journal.look(odd), { state: 'new' });
      const begun = await Promise.all([journal.begin(odd), journal.begin(odd), journal.begin(odd)]);
      deepStrictEqual(begun.map(({ state }) => state).sort(), ['new', 'uncertain', 'uncertain']);
      deepStrictEqual(await journal.look(odd), { state: 'uncertain' });
      await journal.end(odd, AWKWARD);
      await journal.end(odd, 'another');
      const done = { state: 'done', result: JSON.parse(JSON.stringify(AWKWARD)) };
      deepStrictEqual(await journal.look(odd), done);
      deepStrictEqual(await journal.begin(odd), done);
      deepStrictEqual(await journal.begin(call('other')), { state: 'new' });
      deepStrictEqual(await journal.begin({ ...odd, sessionId: 'other' }), { state: 'new' });
      const elsewhere = storage.journal(await leased(storage, OTHER));
      deepStrictEqual(await elsewhere.begin(odd), { state: 'new' });
      await journal.end(call('nothing'), undefined);
      deepStrictEqual(await journal.look(call('nothing')), { state: 'done', result: null });
    },
  ],
  [
    'journal: the next holder of the conversation sees what the one before has begun and ended',
    async (storage) => {
      const first = await leased(storage);
      for (const id of ['a', 'b']) await storage.journal(first).begin(call(id));
      await storage.journal(first).end(call('a'), 'result');
      await storage.commit(first, { release: { state: 'queued' } });
      const next = storage.journal(await leased(storage));
      deepStrictEqual(await next.begin(call('a')), { state: 'done', result: 'result' });
      deepStrictEqual(await next.begin(call('b')), { state: 'uncertain' });
    },
  ],
  [
    'transcript: without a lease it can be read and not written, and each conversation has its own',
    async (storage) => {
      const key = { projectKey: 'project', sessionId: 'session' };
      const lease = await leased(storage);
      await storage.transcript(lease).append(key, [{ type: 'user', uuid: 'one' }]);
      strictEqual((await storage.transcript(REF).load(key))?.length, 1);
      strictEqual(await storage.transcript(OTHER).load(key), null);
      await rejects(storage.transcript(REF).append(key, [{ type: 'user' }]), { code: 'INVALID_OPTION' });
      await rejects(storage.transcript(REF).delete(key), { code: 'INVALID_OPTION' });
      await storage.commit(lease, { release: { state: 'idle' } });
      await lost(storage.transcript(lease).append(key, [{ type: 'user' }]));
      strictEqual((await storage.transcript(REF).load(key))?.length, 1);
    },
  ],
  [
    'sessions: listed by tenant and state, in pages, and counted',
    async (storage) => {
      const { sessions } = storage;
      strictEqual(await sessions.get(REF), undefined);
      deepStrictEqual(await sessions.list(), []);
      for (const session of ['b', 'a', 'd', 'c'])
        await storage.inbox.send({ tenant: 't', session }, prompt('x'));
      await storage.inbox.send({ tenant: 's', session: 'z' }, prompt('x'));
      const lease = await leased(storage, { tenant: 't', session: 'd' });
      await storage.commit(lease, { events: ['one'] });
      const names = (all: { session: string }[]): string => all.map(({ session }) => session).join('');
      strictEqual(names(await sessions.list()), 'zabcd');
      const page = await sessions.list({ tenant: 't', limit: 2 });
      const after = page.at(-1);
      strictEqual(names(page) + names(await sessions.list({ tenant: 't', after, limit: 9 })), 'abcd');
      strictEqual(names(await sessions.list({ state: 'running' })), 'd');
      deepStrictEqual(await sessions.counts(), { idle: 0, queued: 4, running: 1, waiting: 0, parked: 0 });
      deepStrictEqual(await sessions.counts('s'), { idle: 0, queued: 1, running: 0, waiting: 0, parked: 0 });
      const shown = await sessions.get(lease);
      ok(shown !== undefined && shown.created > 1_600_000_000_000 && shown.changed >= shown.created);
      const { created, changed } = shown;
      deepStrictEqual(shown, {
        tenant: 't',
        session: 'd',
        state: 'running',
        owner: 'worker',
        inbox: 1,
        event: 1,
        created,
        changed,
      });
    },
  ],
  [
    'sessions: what is deleted is gone with all that belongs to it, and only if nobody has it',
    async (storage) => {
      const key = { projectKey: 'project', sessionId: 'session' };
      const lease = await leased(storage);
      await storage.inbox.send(OTHER, prompt('stays'));
      await storage.commit(lease, { events: ['one'] });
      await storage.journal(lease).begin(call('a'));
      const { id } = await storage.approvals.ask(lease, 'a', {});
      await storage.transcript(lease).append(key, [{ type: 'user' }]);
      await rejects(storage.sessions.remove(REF), { code: 'LEASE_HELD' });
      await storage.commit(lease, { release: { state: 'waiting' } });
      await storage.sessions.remove(REF);
      await storage.sessions.remove(REF);
      strictEqual(await storage.sessions.get(REF), undefined);
      deepStrictEqual(await storage.events.read(REF), { events: [], missed: 0, last: 0 });
      strictEqual(await storage.approvals.answer(id, 'yes'), 'gone');
      strictEqual(await storage.transcript(REF).load(key), null);
      const again = await leased(storage);
      ok(again.fence > lease.fence, 'a fence from before the deletion would be valid again');
      deepStrictEqual(await storage.journal(again).begin(call('a')), { state: 'new' });
      strictEqual((await storage.sessions.list()).length, 2);
    },
  ],
  [
    'close: later calls are refused with CLOSED, and closing twice is no error',
    async (storage) => {
      await storage.open();
      const sent = storage.inbox.send(REF, prompt('under way'));
      await sent;
      await storage.close();
      await storage.close();
      await rejects(storage.inbox.send(REF, prompt('late')), { code: 'CLOSED' });
      await rejects(storage.events.read(REF), { code: 'CLOSED' });
      await rejects(storage.open(), { code: 'CLOSED' });
    },
  ],
];
