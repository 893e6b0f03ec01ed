/** Answers after restarts, answers at the same time, wakes and prompts that come twice (R60, R63; scale 4, 5, 6). */
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { HostAnswer, SessionRef } from '../../../src/host/index.js';
import { binaries } from '../storage/support/postgres-server.js';
import { ground } from './support/ground.js';
import { heard, type Program } from './support/program.js';

const ALLOW: HostAnswer = { behavior: 'allow' };
const DENY: HostAnswer = { behavior: 'deny', message: 'Rather not.' };
const refOf = (session: string): SessionRef => ({ tenant: 'acme', session });

describe.skipIf(binaries === undefined)('an answer of a person', () => {
  const at = ground();

  async function approvalOf(program: Program, ref: SessionRef): Promise<string> {
    let id: string | undefined;
    await expect
      .poll(async () => {
        id = (await program.call('pendingApprovals', ref))[0]?.id;
        return id;
      })
      .toBeDefined();
    return id as string;
  }

  it('counts after everything was killed and started anew with another version of the tools (scale 4)', async () => {
    const moments: Record<string, string> = {
      'before-it-is-asked': 'before ask 1',
      asked: 'after ask 1',
      waiting: 'never',
      answered: 'before begin 1',
      'answered-and-begun': 'after begin 1',
      'answered-and-done': 'after end 1',
    };
    const sessions = Object.keys(moments);
    const first = await at.start({ moments });
    for (const session of sessions) {
      await first.call('send', refOf(session), `${session}/1: guarded`);
      await first.call('send', refOf(session), `${session}/2: plain`);
      if (!session.startsWith('answered')) continue;
      expect(await first.call('answer', await approvalOf(first, refOf(session)), ALLOW)).toBe('taken');
    }
    await heard(first, () => first.said.filter(({ said }) => said === 'stopped').length === 5);
    await expect.poll(async () => (await at.storage.sessions.get(refOf('waiting')))?.state).toBe('waiting');
    await first.kill();

    const second = await at.start({ version: 'v2' });
    for (const session of sessions.filter((name) => !name.startsWith('answered'))) {
      const id = await approvalOf(second, refOf(session));
      expect(await second.call('answer', id, ALLOW)).toBe('taken');
      expect(await second.call('answer', id, DENY)).toBe('already');
    }
    const told: Record<string, string> = { 'answered-and-begun': 'unknown', 'answered-and-done': 'by v1' };
    for (const session of sessions) {
      const turns = await at.settled(refOf(session));
      expect(
        turns.map(({ outcome }) => outcome),
        session,
      ).toEqual(['answered', 'answered']);
      expect(turns[0]?.words.at(-1), session).toContain(told[session] ?? 'guarded by v2');
      // Who answers is not asked again, and nobody is asked twice.
      expect(new Set(turns[0]?.asked).size, session).toBe(turns[0]?.asked.length);
      expect(turns[0]?.asked.length, session).toBe(session.startsWith('answered') ? 0 : 1);
      const effects = at.effects().filter(({ label }) => label === `${session}/1`);
      expect(effects.length, session).toBe(session === 'answered-and-begun' ? 0 : 1);
    }
    expect(await second.call('pendingApprovals', { tenant: 'acme' })).toEqual([]);
  });

  it('is the first of two that are given at the same time in two programs (scale 5)', async () => {
    const programs = [await at.start({ name: 'one' }), await at.start({ name: 'other' })];
    const [one, other] = programs as [Program, Program];
    for (let round = 0; round < 10; round += 1) {
      const ref = refOf(`u${round}`);
      await one.call('send', ref, `u${round}/1: guarded`);
      const id = await approvalOf(one, ref);
      const outcomes = await Promise.all([
        one.call('answer', id, round % 2 === 0 ? ALLOW : DENY),
        other.call('answer', id, round % 2 === 0 ? DENY : ALLOW),
      ]);
      expect(outcomes.toSorted()).toEqual(['already', 'taken']);
      const isAllowed = (outcomes[0] === 'taken') === (round % 2 === 0);
      const [turn] = await at.settled(ref);
      expect(turn?.words.at(-1)).toContain(isAllowed ? 'guarded by v1' : 'Rather not.');
      expect(at.effects().filter(({ label }) => label === `u${round}/1`).length).toBe(isAllowed ? 1 : 0);
      expect(turn?.answered).toEqual([id]);
    }
  });

  it('and the same prompt with the same key, twice at once and again after a kill, make one turn (scale 6)', async () => {
    const programs = [await at.start({ name: 'one' }), await at.start({ name: 'other' })];
    const ref = refOf('u1');
    const send = (program: Program) =>
      program.call('send', ref, 'u1/1: plain', { idempotencyKey: 'mail-4711' });
    const receipts = await Promise.all([...programs, ...programs].map(send));
    await Promise.all(programs.map((program) => program.kill()));
    const third = await at.start({ name: 'third', version: 'v2' });
    receipts.push(await send(third));
    expect(new Set(receipts.map(({ id }) => id)).size).toBe(1);
    const turns = await at.settled(ref);
    expect(turns.map(({ id }) => id)).toEqual([receipts[0]?.id]);
    expect(at.effects().length).toBeLessThanOrEqual(1);
    await third.call('send', ref, 'u1/2: plain', { idempotencyKey: 'mail-4712' });
    expect((await at.settled(ref)).map(({ prompt }) => prompt)).toEqual(['u1/1: plain', 'u1/2: plain']);
  });

  it('a wake that is delivered twice makes no turn, and asks nobody again (scale 6)', async () => {
    const program = await at.start();
    const [idle, waiting] = [refOf('idle'), refOf('waiting')];
    await program.call('send', idle, 'idle/1: plain');
    await program.call('send', waiting, 'waiting/1: guarded');
    const id = await approvalOf(program, waiting);
    await at.settled(idle);
    await expect.poll(async () => (await at.storage.sessions.get(waiting))?.state).toBe('waiting');
    for (let round = 0; round < 3; round += 1) {
      const { parked } = (await program.call('stats')).approvals;
      await wake();
      await expect.poll(async () => (await program.call('stats')).approvals.parked).toBeGreaterThan(parked);
      await expect.poll(async () => (await at.storage.sessions.get(idle))?.state).toBe('idle');
      await expect.poll(async () => (await at.storage.sessions.get(waiting))?.state).toBe('waiting');
    }
    expect((await at.settled(idle)).length).toBe(1);
    await program.call('answer', id, ALLOW);
    const [turn] = await at.settled(waiting);
    expect(turn?.asked).toEqual([id]);
    expect(turn?.words).toEqual([
      'calls mcp__shop__guarded',
      'result: guarded by v1',
      'assistant: waiting/1 is turn 1: guarded by v1',
    ]);
    expect(at.effects().map(({ label }) => label)).toEqual(['idle/1', 'waiting/1']);
  });

  /** As an engine does that says everything twice. */
  async function wake(): Promise<void> {
    const client = new pg.Client({ connectionString: at.server.connectionString });
    await client.connect();
    await client.query(
      `UPDATE ${at.schema}.sessions SET state = 'queued', ready_at = clock_timestamp() WHERE state IN ('idle', 'waiting')`,
    );
    await client.end();
  }
});
