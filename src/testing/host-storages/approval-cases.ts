import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { AWKWARD, type Case, leased, OTHER, prompt, REF, until } from './case.js';

export const APPROVAL_CASES: readonly Case[] = [
  [
    'approvals: a question is asked once, is pending for everybody, and its answer wakes the conversation through the inbox',
    async (storage) => {
      const { approvals } = storage;
      const lease = await leased(storage);
      await storage.commit(lease, { acknowledge: [1] });
      const { id, state } = await approvals.ask(lease, 'toolu_1', AWKWARD);
      strictEqual(state, 'pending');
      deepStrictEqual(await approvals.ask(lease, 'toolu_1', 'asked again'), { id, state });
      const other = await approvals.ask(await leased(storage, OTHER), 'toolu_1', 'of another tenant');
      const [listed, ...more] = await approvals.list({ tenant: REF.tenant });
      ok(listed !== undefined && listed.since > 1_600_000_000_000);
      const question = JSON.parse(JSON.stringify(AWKWARD));
      deepStrictEqual([listed, ...more], [{ ...REF, id, key: 'toolu_1', question, since: listed.since }]);
      deepStrictEqual(await approvals.get(id), { ...listed, state });
      strictEqual(await approvals.get('nothing'), undefined);
      strictEqual((await approvals.list()).length, 2);
      strictEqual((await approvals.list({ session: REF.session, limit: 1 })).length, 1);
      await storage.commit(lease, { release: { state: 'waiting' } });

      const woken: unknown[] = [];
      const wake = (ref: unknown): void => void woken.push(ref);
      strictEqual(await approvals.answer(id, { behavior: 'allow' }, { wake }), 'taken');
      strictEqual(await approvals.answer(id, { behavior: 'deny' }, { wake }), 'already');
      deepStrictEqual(woken, [REF]);
      deepStrictEqual(await approvals.get(id), {
        ...listed,
        state: 'answered',
        answer: { behavior: 'allow' },
      });
      strictEqual((await storage.sessions.get(REF))?.state, 'queued');
      deepStrictEqual(
        (await approvals.list()).map((each) => each.id),
        [other.id],
      );
      const next = await leased(storage);
      deepStrictEqual(
        (await storage.inbox.read(next)).map(({ kind, body }) => ({ kind, body })),
        [{ kind: 'answer', body: { approval: id, key: 'toolu_1', answer: { behavior: 'allow' } } }],
      );
      deepStrictEqual(await approvals.ask(next, 'toolu_1', 'asked again'), {
        id,
        state: 'answered',
        answer: { behavior: 'allow' },
      });
    },
  ],
  [
    'approvals: of answers at the same time one is taken, and one goes into the inbox',
    async (storage) => {
      const lease = await leased(storage);
      const { id } = await storage.approvals.ask(lease, 'toolu_1', {});
      const outcomes = await Promise.all(
        ['a', 'b', 'c', 'd'].map((answer) => storage.approvals.answer(id, answer)),
      );
      deepStrictEqual(outcomes.toSorted(), ['already', 'already', 'already', 'taken']);
      const answers = (await storage.inbox.read(lease)).filter(({ kind }) => kind === 'answer');
      deepStrictEqual(
        answers.map(({ body }) => (body as { answer: string }).answer),
        [['a', 'b', 'c', 'd'][outcomes.indexOf('taken')]],
      );
    },
  ],
  [
    'approvals: what nobody has asked, what was withdrawn and what belongs to another tenant is gone',
    async (storage) => {
      const { approvals } = storage;
      const lease = await leased(storage);
      const first = await approvals.ask(lease, 'toolu_1', {});
      const second = await approvals.ask(lease, 'toolu_2', {});
      const third = await approvals.ask(lease, 'toolu_3', {});
      strictEqual(await approvals.answer('nothing', 'yes'), 'gone');
      strictEqual(await approvals.answer(first.id, 'yes', { tenant: OTHER.tenant }), 'gone');
      await storage.commit(lease, { withdraw: ['toolu_1'] });
      strictEqual(await approvals.answer(first.id, 'yes'), 'gone');
      strictEqual((await approvals.get(first.id))?.state, 'gone');
      deepStrictEqual(await approvals.ask(lease, 'toolu_1', {}), { id: first.id, state: 'gone' });
      const page = await approvals.list({ limit: 1 });
      const rest = await approvals.list({ after: String(page[0]?.id) });
      deepStrictEqual(
        [...page, ...rest].map(({ id }) => id),
        [second.id, third.id],
      );
      strictEqual(await approvals.answer(second.id, 'yes', { tenant: REF.tenant }), 'taken');
      await storage.commit(lease, { withdraw: 'all' });
      deepStrictEqual(await approvals.list(), []);
      strictEqual(await approvals.answer(second.id, 'yes'), 'already');
      strictEqual((await storage.inbox.read(lease)).filter(({ kind }) => kind === 'answer').length, 1);
    },
  ],
  [
    'approvals: if the wake fails, the answer is not taken',
    async (storage) => {
      const lease = await leased(storage);
      await storage.commit(lease, { acknowledge: [1] });
      const { id } = await storage.approvals.ask(lease, 'toolu_1', {});
      await storage.commit(lease, { release: { state: 'waiting' } });
      const refuse = (): Promise<void> => Promise.reject(new Error('no engine'));
      await rejects(storage.approvals.answer(id, 'yes', { wake: refuse }), /no engine/);
      strictEqual((await storage.sessions.get(REF))?.state, 'waiting');
      strictEqual((await storage.approvals.list()).length, 1);
      strictEqual(await storage.approvals.answer(id, 'yes'), 'taken');
    },
  ],
  [
    'sweep: what is done with is deleted after a while, and nothing that is pending',
    async (storage) => {
      const lease = await leased(storage);
      const call = (toolUseId: string) => ({ sessionId: 's', toolUseId, toolName: 'tool', input: {} });
      const journal = storage.journal(lease);
      await storage.inbox.send(REF, prompt('done'), { idempotencyKey: 'done' });
      const [, done] = await storage.inbox.read(lease);
      await storage.commit(lease, { acknowledge: [1, Number(done?.number)] });
      const answered = await storage.approvals.ask(lease, 'answered', {});
      const pending = await storage.approvals.ask(lease, 'pending', {});
      await storage.approvals.answer(answered.id, 'yes');
      for (const id of ['ended', 'begun']) await journal.begin(call(id));
      await journal.end(call('ended'), 'result');
      await storage.sweep({ doneMaxAgeMs: 3_600_000 });
      await rejects(storage.inbox.send(REF, prompt('another'), { idempotencyKey: 'done' }));
      // The key is free again. The rest is what a turn that waits for weeks goes on with.
      await until(async () => {
        await storage.sweep({ doneMaxAgeMs: 1 });
        return storage.inbox.send(REF, prompt('another'), { idempotencyKey: 'done' }).then(
          () => true,
          () => false,
        );
      });
      strictEqual((await journal.look(call('ended'))).state, 'done');
      strictEqual((await storage.approvals.ask(lease, 'answered', {})).state, 'answered');
      const entries = await storage.inbox.read(lease);
      deepStrictEqual(
        entries.map(({ kind }) => kind),
        ['answer', 'prompt'],
      );
      let last = lease;
      const acknowledge = entries.map(({ number }) => number);
      await until(async () => {
        await storage.commit(last, { acknowledge, release: { state: 'idle' } });
        await storage.sweep({ doneMaxAgeMs: 1 });
        last = await leased(storage);
        return (await storage.journal(last).look(call('ended'))).state === 'new';
      });
      strictEqual((await storage.journal(last).look(call('begun'))).state, 'uncertain');
      strictEqual(await storage.approvals.answer(answered.id, 'no'), 'gone');
      strictEqual((await storage.approvals.ask(last, 'pending', {})).id, pending.id);
    },
  ],
];
