/** The program is killed with -9, and the one that goes on is killed, too (R60, R64; scale 2). */
import { describe, expect, it } from 'vitest';
import type { SessionRef } from '../../../src/host/index.js';
import { binaries } from '../storage/support/postgres-server.js';
import { ground } from './support/ground.js';
import type { Program } from './support/program.js';

const KINDS = ['plain', 'idempotent', 'reconciling', 'plain+idempotent', 'reconciling+plain'];
const FIRST = [
  'before events 1',
  'after events 1',
  'the model is asked',
  'before append 1',
  'after append 1',
  'after begin 1',
  'before end 1',
  'after end 1',
  'in the middle of streamed text',
  'after append 2',
  'before release 1',
];
const SECOND = [
  'before events 1',
  'after events 1',
  'the model is asked',
  'before append 1',
  'after append 1',
  'after begin 1',
  'before end 1',
  'in the middle of streamed text',
  'before release 1',
  'after release 1',
];

interface Case {
  readonly ref: SessionRef;
  readonly tools: string;
  readonly first: string;
  readonly second: string;
}

const CASES: readonly Case[] = FIRST.flatMap((first, row) =>
  SECOND.map((second, column) => ({
    ref: { tenant: 'acme', session: `u-${row}-${column}` },
    tools: KINDS[(row + column) % KINDS.length] as string,
    first,
    second,
  })),
);

describe.skipIf(binaries === undefined)('a program that is killed with -9, and its successor, too', () => {
  const at = ground();

  it('at any two moments: nothing is lost, no plain call is made twice, readers see each turn once, in order', async () => {
    const first = await at.start({ moments: moments(({ first }) => first) });
    for (const { ref, tools } of CASES) {
      await first.call('send', ref, `${ref.session}/1: ${tools} stream`);
      await first.call('send', ref, `${ref.session}/2: plain`);
    }
    await allAtRest(first);
    await first.kill();
    const second = await at.start({ version: 'v2', moments: moments(({ second }) => second) });
    await allAtRest(second);
    await second.kill();
    await at.start({ version: 'v3' });
    for (const each of CASES) await check(each);
  });

  /** Each has come to its moment, or is through: a moment that has passed does not come again. */
  async function allAtRest(program: Program): Promise<void> {
    for (const { ref } of CASES) {
      const isStopped = (): boolean =>
        program.said.some(({ said, session }) => said === 'stopped' && session === ref.session);
      const isIdle = async (): Promise<boolean> => (await at.storage.sessions.get(ref))?.state === 'idle';
      await expect.poll(async () => isStopped() || (await isIdle())).toBe(true);
    }
  }

  async function check({ ref, tools, first, second }: Case): Promise<void> {
    const where = `${tools}, killed ${first}, then ${second}`;
    const turns = await at.settled(ref).catch((error) => {
      throw new Error(where, { cause: error });
    });
    const prompts = [`${ref.session}/1: ${tools} stream`, `${ref.session}/2: plain`];
    expect(
      turns.map(({ prompt, outcome }) => [prompt, outcome]),
      where,
    ).toEqual(prompts.map((prompt) => [prompt, 'answered']));
    const effects = at.effects().filter(({ label }) => label === `${ref.session}/1`);
    for (const tool of tools.split('+')) {
      const made = effects.filter((effect) => effect.tool === tool);
      const told = turns[0]?.words.at(-1) ?? '';
      expect(new Set(made.map(({ key }) => key)).size, where).toBeLessThanOrEqual(1);
      if (tool === 'plain') {
        expect(made.length, where).toBeLessThanOrEqual(1);
        if (made.length === 0) expect(told, where).toContain('unknown');
      }
      if (tool === 'idempotent') expect(made.length, where).toBeGreaterThanOrEqual(1);
      if (tool === 'reconciling') expect(made.length, where).toBe(1);
    }
  }
});

function moments(of: (each: Case) => string): Record<string, string> {
  return Object.fromEntries(CASES.map((each) => [each.ref.session, of(each)]));
}
