/** The moments of a turn at which its program is killed, and what has to come of it. */
import { expect } from 'vitest';
import type { HostStorage, SessionRef } from '../../../../src/host/index.js';
import { type Effect, settledIn } from './look.js';
import { heard, type Program } from './program.js';

export const KINDS = ['plain', 'idempotent', 'reconciling'] as const;
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

export interface Case {
  readonly ref: SessionRef;
  readonly kind: Kind;
  readonly moment: string;
  readonly effects: number;
  readonly told: string;
}

export const CASES: readonly Case[] = Object.entries(MOMENTS).flatMap(([moment, kinds], index) =>
  KINDS.map((kind) => {
    const [effects, told] = kinds[kind];
    return { ref: { tenant: 'acme', session: `${kind}-${index}` }, kind, moment, effects, told };
  }),
);

export function momentsOf(cases: readonly Case[]): Record<string, string> {
  return Object.fromEntries(cases.map(({ ref, moment }) => [ref.session, moment]));
}

/** Until every conversation has come to its moment. */
export async function sendAll(program: Program, cases: readonly Case[]): Promise<void> {
  for (const { ref, kind } of cases) {
    await program.call('send', ref, `${ref.session}/1: ${kind} stream`);
    await program.call('send', ref, `${ref.session}/2: plain`);
  }
  await heard(program, () => program.said.filter(({ said }) => said === 'stopped').length === cases.length);
}

export async function checkCase(
  each: Case,
  storage: HostStorage,
  all: () => readonly Effect[],
): Promise<void> {
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
