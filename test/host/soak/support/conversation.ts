/** People who talk to one conversation, one thing after another, and do not always wait for answers. */
import { setTimeout as wait } from 'node:timers/promises';
import type { HostStorage, SessionRef } from '../../../../src/host/index.js';
import type { Fleet } from './fleet.js';
import type { Random } from './random.js';

const STEPS = [
  '',
  'plain',
  'idempotent',
  'reconciling',
  'stream',
  'guarded',
  'plain+idempotent',
  'reconciling plain',
  'idempotent guarded stream',
  'guarded+plain',
  'endless',
  'plain endless-idempotent',
];

/** A conversation ends after so many prompts, and another one begins: history is not what is looked at. */
const PROMPTS_MOST = 25;
const WAITING_MOST = 6;

export interface Spoken {
  readonly ref: SessionRef;
  /** In the order in which they were sent. */
  readonly prompts: string[];
}

export interface Talk {
  readonly fleet: Fleet;
  readonly storage: HostStorage;
  readonly random: Random;
  isOver(): boolean;
  spoken(conversation: Spoken): void;
}

/** One conversation after another until it is over. */
export async function talk(name: string, parts: Talk): Promise<void> {
  for (let number = 0; !parts.isOver(); number += 1) {
    const session = `${name}-${number}`;
    const conversation: Spoken = { ref: { tenant: name, session }, prompts: [] };
    parts.spoken(conversation);
    await hold(conversation, parts);
  }
}

async function hold({ ref, prompts }: Spoken, parts: Talk): Promise<void> {
  const { fleet, random } = parts;
  const most = random.between(1, PROMPTS_MOST);
  while (prompts.length < most && !parts.isOver()) {
    const prompt = `${ref.session}/${prompts.length + 1}: ${random.of(STEPS)}`;
    prompts.push(prompt);
    await fleet.ask(random, (program) => program.call('send', ref, prompt, { idempotencyKey: prompt }));
    // The same again: a sender that has not heard of its receipt.
    if (random.once(10)) {
      await fleet.ask(random, (program) => program.call('send', ref, prompt, { idempotencyKey: prompt }));
    }
    if (random.once(8)) await interrupt(ref, parts);
    await untilFew(ref, parts);
    if (random.once(2)) await wait(random.between(0, 60));
  }
}

/** Some prompts never end by themselves: who is kept waiting for too long interrupts. */
async function untilFew(ref: SessionRef, parts: Talk): Promise<void> {
  for (let waits = 1; ; waits += 1) {
    const known = await parts.storage.sessions.get(ref).catch(() => undefined);
    if (known !== undefined && known.inbox < WAITING_MOST) return;
    if (parts.isOver()) return;
    if (waits % 10 === 0) await interrupt(ref, parts);
    await wait(30);
  }
}

export async function interrupt(
  ref: SessionRef,
  { fleet, random }: Pick<Talk, 'fleet' | 'random'>,
): Promise<void> {
  const dropQueued = random.once(6);
  await fleet.ask(random, (program) => program.call('interrupt', ref, { dropQueued }));
  fleet.note('interrupt');
}
