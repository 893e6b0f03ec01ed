/** The program is killed with -9 at every moment of a turn, and another one goes on (R60, R64; scale 2). */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostStorage, SessionRef } from '../../../src/host/index.js';
import { postgresStorage } from '../../../src/host/storage/postgres/index.js';
import { binaries } from '../storage/support/postgres-server.js';
import { ground } from './support/ground.js';
import { type Effect, effectsIn, settledIn } from './support/look.js';
import { heard, type Program } from './support/program.js';

const KINDS = ['plain', 'idempotent', 'reconciling'] as const;
type Kind = (typeof KINDS)[number];

/** How often the effect was had, and what the model was told, if its program is killed at this moment. */
const ONCE_AFTERWARDS = { plain: [1, 'by v2'], idempotent: [1, 'by v2'], reconciling: [1, 'by v2'] } as const;
const ONCE_BEFORE = { plain: [1, 'by v1'], idempotent: [1, 'by v1'], reconciling: [1, 'by v1'] } as const;
const BEGUN = { plain: [0, 'unknown'], idempotent: [1, 'by v2'], reconciling: [1, 'by v2'] } as const;

const MOMENTS: Readonly<Record<string, Readonly<Record<Kind, readonly [number, string]>>>> = {
  'the model is asked': ONCE_AFTERWARDS,
  'before append 1': ONCE_AFTERWARDS,
  'after append 1': ONCE_AFTERWARDS,
  'before begin 1': ONCE_AFTERWARDS,
  'after begin 1': BEGUN,
  'in the handler': BEGUN,
  'before end 1': { plain: [1, 'unknown'], idempotent: [2, 'by v2'], reconciling: [1, 'found'] },
  'after end 1': ONCE_BEFORE,
  'in the middle of streamed text': ONCE_BEFORE,
  'before append 2': ONCE_BEFORE,
  'after append 2': ONCE_BEFORE,
  'before release 1': ONCE_BEFORE,
  'after release 1': ONCE_BEFORE,
};

interface Case {
  readonly ref: SessionRef;
  readonly kind: Kind;
  readonly moment: string;
  readonly effects: number;
  readonly told: string;
}

const CASES: readonly Case[] = Object.entries(MOMENTS).flatMap(([moment, kinds], index) =>
  KINDS.map((kind) => {
    const [effects, told] = kinds[kind];
    return { ref: { tenant: 'acme', session: `${kind}-${index}` }, kind, moment, effects, told };
  }),
);

describe.skipIf(binaries === undefined)('a program that is killed with -9', () => {
  const at = ground();

  it('at any moment: the next one goes on, no plain call is made twice, readers see each turn once, in order', async () => {
    const first = await at.start({ moments: momentsOf(CASES) });
    await sendAll(first, CASES);
    await first.kill();
    await at.start({ version: 'v2' });
    for (const each of CASES) await check(each, at.storage, at.effects);
  });

  it('keeps all of it in PGlite, too (R61)', async () => {
    const cases = CASES.filter(({ kind }, index) => kind === KINDS[index % KINDS.length]);
    const directory = join(at.folder, 'pglite');
    const effectsFile = join(at.folder, 'pglite.jsonl');
    const first = await at.start({ place: { directory }, effectsFile, moments: momentsOf(cases) });
    );await sendAll(first, cases);
    await first.kill(););
    const second = await at.start({ place: { directory }, effectsFile, version: 'v2' });
    for (const { ref } of cases)
      await expect.poll(async () => (await second.call('session', ref))?.state).toBe('idle');
);    await second.kill('SIGTERM'););
    const storage = postgresStorage({ directory });
    try {
      for (const each of cases) await check(each, storage, () => effectsIn(effectsFile));
    } finally {
      await storage.close();
    }
  });
});

function momentsOf(cases: readonly Case[]): Record<string, string> {
  return Object.fromEntries(cases.map(({ ref, moment }) => [ref.session, moment]));
}

/** Until every conversation has come to its moment. */
async function sendAll(program: Program, cases: readonly Case[]): Promise<void> {
  for (const { ref, kind } of cases) {
    await program.call('send', ref, `${ref.session}/1: ${kind} stream`);
    await program.call('send', ref, `${ref.session}/2: plain`);
  }
  await heard(program, () => program.said.filter(({ said }) => said === 'stopped').length === cases.length);
}

async function check(each: Case, storage: HostStorage, all: () => readonly Effect[]): Promise<void> {
  const { ref, kind, moment, effects, told } = each;
  const turns = await settledIn(storage, ref);
  const where = `${kind}, killed ${moment}`;
  expect(
    turns.map(({ outcome }) => outcome),
    where,
  ).toEqual(['answered', 'answered']);
  expect(turns[0]?.words.at(-1), where).toMatch(new RegExp(`^assistant: \\S+/1 is turn 1: .*${told}`));
  expect(turns[1]?.words.at(-1), where).toMatch(/^assistant: \S+\/2 is turn 2: plain by v2$/);
  const made = all().filter(({ label }) => label === `${ref.session}/1`);
  expect(made.length, where).toBe(effects);
  expect(new Set(made.map(({ key }) => key)).size, where).toBe(Math.min(effects, 1));
}
