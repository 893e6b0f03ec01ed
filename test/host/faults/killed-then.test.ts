/** The program is killed with -9, and something else happens before the conversation goes on (R60, R64; scale 2, 9, 15). */
import { describe, expect, it } from 'vitest';
import type { SessionRef } from '../../../src/host/index.js';
import { binaries } from '../storage/support/postgres-server.js';
import { ground } from './support/ground.js';
import { heard, type Program } from './support/program.js';

const MOMENTS = [
  'after events 1',
  'the model is asked',
  'before append 1',
  'after append 1',
  'after begin 1',
  'before end 1',
  'after end 1',
  'in the middle of streamed text',
  'after append 3',
  'before release 1',
];

interface Case {
  readonly ref: SessionRef;
  readonly moment: string;
}

const CASES: readonly Case[] = MOMENTS.map((moment, index) => ({
  ref: { tenant: 'acme', session: `u${index}` },
  moment,
}));

describe.skipIf(binaries === undefined)('a program is killed with -9', () => {
  const at = ground();

  async function begin(): Promise<Program> {
    const moments = Object.fromEntries(CASES.map(({ ref, moment }) => [ref.session, moment]));
    // Readers are told of the prompt before anything is stored of its turn.
    const program = await at.start({ moments, pauseMs: 200 });
    for (const { ref } of CASES) {
      await program.call('send', ref, `${ref.session}/1: idempotent plain stream`);
      await program.call('send', ref, `${ref.session}/2: plain`);
    }
    await heard(program, () => program.said.filter(({ said }) => said === 'stopped').length === CASES.length);
    return program;
  }

  it('and its conversations are parked: released, they go on, and readers see each turn once (scale 9)', async () => {
    await (await begin()).kill();
    const host = { lease: { ttlMs: 1_000, maxCrashes: 1 } };
    const next = await at.start({ version: 'v2', host });
    for (const { ref } of CASES) {
      await expect.poll(async () => (await at.storage.sessions.get(ref))?.state).toBe('parked');
      expect(await next.call('unpark', ref)).toBe(true);
    }
    for (const { ref, moment } of CASES) {
      const turns = await at.settled(ref).catch((error) => {
        throw new Error(`killed ${moment}`, { cause: error });
      });
      expect(turns.map(({ outcome }) => outcome)).toEqual(['answered', 'answered']);
    }
  });

  it('and its conversations are interrupted before they go on: the turns end, and nothing more is done (scale 15)', async () => {
    await (await begin()).kill();
    const before = at.effects();
    for (const { ref } of CASES) await at.storage.inbox.send(ref, { kind: 'interrupt', body: {} });
    await at.start({ version: 'v2' });
    for (const { ref, moment } of CASES) {
      const turns = await at.settled(ref).catch((error) => {
        throw new Error(`killed ${moment}`, { cause: error });
      });
      // The interrupt was meant for what ran, or for what had not begun; and one that has its answer is through.
      expect(turns.map(({ outcome }) => outcome).join(', '), moment).toMatch(
        /^(?:interrupted|dropped), answered$|^answered, (?:dropped|answered)$/,
      );
      const made = at.effects().filter(({ label }) => label === `${ref.session}/1`);
      expect(made, moment).toEqual(before.filter(({ label }) => label === `${ref.session}/1`));
    }
  });
});
