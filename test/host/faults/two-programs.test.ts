/** Two programs on one database (R60; scale 7, 8, 15). */
import { describe, expect, it } from 'vitest';
import type { SessionRef } from '../../../src/host/index.js';
import { binaries } from '../storage/support/postgres-server.js';
import { ground } from './support/ground.js';

const REF: SessionRef = { tenant: 'acme', session: 'shared' };
const SENDERS = ['a', 'b', 'c', 'd'];
const EACH = 250;

describe.skipIf(binaries === undefined)('two programs on one database', () => {
  const at = ground();

  it('1,000 prompts of four senders to one conversation: no overlap, none lost, none twice, the order of each sender kept (scale 8)', async () => {
    const host = { limits: { queuedPerSession: SENDERS.length * EACH }, events: { partialMessages: false } };
    const programs = [await at.start({ name: 'one', host }), await at.start({ name: 'other', host })];
    await Promise.all(
      SENDERS.map((sender, place) => {
        const prompts = Array.from({ length: EACH }, (_, index) => {
          const prompt = `${sender}/${index + 1}: ${index % 10 === 0 ? 'plain' : ''}`;
          return [prompt, prompt];
        });
        return programs[place % 2]?.run('sendAll', REF, sender, prompts);
      }),
    );
    const turns = await at.settled(REF);
    expect(turns.length).toBe(SENDERS.length * EACH);
    for (const sender of SENDERS) {
      const own = turns.flatMap(({ prompt }) =>
        prompt.startsWith(`${sender}/`) ? [prompt.split(':')[0]] : [],
      );
      expect(own).toEqual(Array.from({ length: EACH }, (_, index) => `${sender}/${index + 1}`));
    }
    turns.forEach(({ prompt, words, outcome }, index) => {
      expect(outcome).toBe('answered');
      expect(words.at(-1)).toContain(`${prompt.split(':')[0]} is turn ${index + 1}: `);
    });
    const effects = at.effects();
    expect(effects.length).toBe((SENDERS.length * EACH) / 10);
    expect(new Set(effects.map(({ label }) => label)).size).toBe(effects.length);
    const answered = await Promise.all(
      programs.map(async (each) => (await each.call('stats')).turns.answered),
    );
    expect(answered.reduce((sum, count) => sum + count)).toBe(SENDERS.length * EACH);
  });

  it('one is stopped, taken over and continued: its writes are refused, its turns end, nothing is said twice (scale 7)', async () => {
    const [streaming, calling, asking] = [refOf('streaming'), refOf('calling'), refOf('asking')];
    const stopped = await at.start({
      name: 'stopped',
      stopsAt: { streaming: 'in the middle of streamed text' },
      host: { approvals: { holdMs: 600_000 } },
    });
    await stopped.call('send', calling, 'calling/1: endless');
    await stopped.call('send', asking, 'asking/1: guarded');
    await expect.poll(() => at.effects().length).toBe(1);
    await expect.poll(async () => (await at.storage.approvals.list()).length).toBe(1);
    await stopped.call('send', streaming, 'streaming/1: stream');

    const next = await at.start({ name: 'next', version: 'v2' });
    await expect.poll(async () => (await at.storage.sessions.get(asking))?.state).toBe('waiting');
    const [approval] = await at.storage.approvals.list();
    await next.call('answer', approval?.id ?? '', { behavior: 'allow' });
    const answers = async (): Promise<unknown[]> => {
      const turns = await Promise.all([streaming, calling, asking].map((ref) => at.settled(ref)));
      return turns.map((each) => each.map(({ words, outcome }) => [words.at(-1), outcome]));
    };
    const before = await answers();
    expect(before).toEqual([
      [['assistant: streaming/1 is turn 1: ', 'answered']],
      [
        [
          expect.stringMatching(/^assistant: calling\/1 is turn 1: The outcome of this call is unknown/),
          'answered',
        ],
      ],
      [['assistant: asking/1 is turn 1: guarded by v2', 'answered']],
    ]);
    const told = async () =>
      (await Promise.all([streaming, calling, asking].map(at.events))).map((each) => each.length);
    const events = await told();

    stopped.process.kill('SIGCONT');
    await expect
      .poll(async () => {
        const { running, open, lostLeases } = await stopped.call('stats');
        return { running, open, lostLeases };
      })
      .toEqual({ running: 0, open: 0, lostLeases: 3 });
    expect(await told()).toEqual(events);
    expect(await answers()).toEqual(before);
    expect(at.effects().map(({ label, version }) => `${label} ${version}`)).toEqual([
      'calling/1 v1',
      'asking/1 v2',
    ]);
    // It is as good as new.
    await next.kill();
    await stopped.call('send', streaming, 'streaming/2: plain');
    expect((await at.settled(streaming)).at(-1)?.words.at(-1)).toBe(
      'assistant: streaming/2 is turn 2: plain by v1',
    );
  });

  it('one interrupts what the other runs, and what waits for a person; prompts after it follow (R60; scale 15)', async () => {
    const [calling, asking] = [refOf('calling'), refOf('asking')];
    const worker = await at.start({ name: 'worker' });
    const other = await at.start({ name: 'other', host: { limits: { running: 1 } } });
    await worker.call('send', calling, 'calling/1: endless plain');
    await worker.call('send', asking, 'asking/1: guarded plain');
    await expect.poll(() => at.effects().length).toBe(1);
    await expect.poll(async () => (await at.storage.sessions.get(asking))?.state).toBe('waiting');
    for (const ref of [calling, asking]) {
      await worker.call('send', ref, `${ref.session}/2: plain`);
      await other.call('interrupt', ref);
      const turns = await at.settled(ref);
      expect(turns.map(({ outcome }) => outcome)).toEqual(['interrupted', 'answered']);
      expect(turns[1]?.words.at(-1)).toBe(`assistant: ${ref.session}/2 is turn 2: plain by v1`);
    }
    expect(await at.storage.approvals.list()).toEqual([]);
    expect(at.effects().map(({ label }) => label)).toEqual(['calling/1', 'calling/2', 'asking/2']);
  });
});

function refOf(session: string): SessionRef {
  return { tenant: 'acme', session };
}
