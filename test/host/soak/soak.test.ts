/**
 * Random prompts, answers, interrupts, kills and restarts, and a database that goes away (R60, R63): for five minutes with
 * `TENON_SOAK_MS=300000 npx vitest run test/host/soak`. `TENON_SOAK_SEED` repeats one that has failed; `random` tries another.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ground } from '../faults/support/ground.js';
import { binaries } from '../storage/support/postgres-server.js';
import { checkEffects, checkTurns } from './support/checks.js';
import { interrupt, type Spoken, talk } from './support/conversation.js';
import { Fleet } from './support/fleet.js';
import { random } from './support/random.js';

const SOAK_MS = Number(process.env.TENON_SOAK_MS ?? 15_000);
const given = process.env.TENON_SOAK_SEED ?? '20261118';
const SEED = given === 'random' ? String(Date.now()) : given;
const TALKERS = 6;
const TTL_MS = 800;
const MEGABYTE = 1024 * 1024;

describe.skipIf(binaries === undefined)('a soak', () => {
  const at = ground({ isDurable: true });

  it(
    `of ${SOAK_MS / 1_000} s: none lost, none twice, order kept, no process left, memory flat (seed ${SEED})`,
    async () => {
      const chance = random(SEED);
      const host = {
        // Killed again and again, but nobody's fault.
        lease: { ttlMs: TTL_MS, maxCrashes: 1_000 },
        approvals: { holdMs: 30 },
        idle: { evictAfterMs: 300 },
        limits: { running: 8 },
      };
      const fleet = await Fleet.open(
        (options) => at.start({ ...options, pauseMs: 2, drainMs: 200, host }),
        3,
      );
      const end = Date.now() + SOAK_MS;
      const isOver = (): boolean => Date.now() >= end;
      const all: Spoken[] = [];
      const heaps: number[] = [];

      const parts = (name: string) => ({ fleet, storage: at.storage, random: chance.named(name), isOver });
      const talkers = Array.from({ length: TALKERS }, (_, index) =>
        talk(`t${index}`, { ...parts(`talker ${index}`), spoken: follow }),
      );
      function follow(conversation: Spoken): void {
        all.push(conversation);
        void fleet.survivor.run('follow', conversation.ref);
      }
      await Promise.all([...talkers, trouble(), answers(isOver), looks()]);

      // Peace: everything comes to its end.
      let isPeace = false;
      const answering = answers(() => isPeace);
      await Promise.all(all.map(({ ref }) => settle(ref)));
      isPeace = true;
      await answering;
      for (const conversation of all) checkTurns(conversation, await at.settled(conversation.ref));
      checkEffects(at.effects());
      await expect.poll(() => fleet.survivor.run('followed')).toEqual(await stored());
      const stats = await fleet.survivor.call('stats');
      expect(stats).toMatchObject({ running: 0, sessions: { queued: 0, running: 0, waiting: 0, parked: 0 } });
      expect(await at.storage.approvals.list()).toEqual([]);
      expect(fleet.problems.filter(isUnexpected)).toEqual([]);
      checkHeaps();
      expect(await fleet.end()).toEqual([0, 0, 0]);
      const prompts = all.reduce((sum, each) => sum + each.prompts.length, 0);
      process.stdout.write(
        `soak: ${prompts} prompts in ${all.length} conversations, ${JSON.stringify(fleet.done)}, heap in MB ${heaps.map((heap) => Math.round(heap / MEGABYTE)).join(' ')}\n`,
      );

      /** Kills, restarts and stops programs, and the database. */
      async function trouble(): Promise<void> {
        const chance = parts('trouble').random;
        for (let count = 0; !isOver(); count += 1) {
          await wait(chance.between(100, 1_200));
          if (count % 7 === 3) {
            fleet.note('database');
            await at.server.crash();
          } else {
            const how = chance.of(['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGSTOP'] as const);
            await fleet.strike(chance, how, TTL_MS + chance.between(0, 800));
          }
        }
      }

      /** People who answer, sooner or later. */
      async function answers(isDone: () => boolean): Promise<void> {
        const chance = parts('answers').random;
        while (!isDone()) {
          const pending = await at.storage.approvals.list().catch(() => []);
          for (const { id } of pending) {
            if (chance.once(3)) continue;
            const answer = chance.once(4)
              ? ({ behavior: 'deny', message: 'Rather not.' } as const)
              : ({ behavior: 'allow' } as const);
            await fleet.ask(chance, (program) => program.call('answer', id, answer));
            fleet.note('answer');
          }
          await wait(chance.between(5, 50));
        }
      }

      async function looks(): Promise<void> {
        while (!isOver()) {
          await wait(SOAK_MS / 30);
          heaps.push(await fleet.survivor.run('heap'));
        }
      }

      async function settle(ref: Spoken['ref']): Promise<void> {
        const chance = parts(`end of ${ref.session}`).random;
        for (let waits = 1; (await at.storage.sessions.get(ref))?.state !== 'idle'; waits += 1) {
          if (waits % 20 === 0) await interrupt(ref, { fleet, random: chance });
          await wait(20);
        }
      }

      /** The last event of each conversation, which its reader has seen, too. */
      async function stored(): Promise<Record<string, number>> {
        const sessions = await Promise.all(all.map(({ ref }) => at.storage.sessions.get(ref)));
        return Object.fromEntries(sessions.map((each) => [each?.session, each?.event]));
      }

      function checkHeaps(): void {
        const third = Math.floor(heaps.length / 3);
        const middle = (part: number[]): number =>
          part.toSorted((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0;
        const growth = middle(heaps.slice(-third)) - middle(heaps.slice(third, 2 * third));
        expect(growth / MEGABYTE).toBeLessThan(12);
      }
    },
    SOAK_MS + 600_000,
  );
});

/** A database that is away, and programs that were replaced, are what is to be expected. */
function isUnexpected(problem: unknown): boolean {
  const { code } = problem as { code?: string };
  return code !== 'STORAGE_FAILED' && code !== 'LEASE_LOST';
}
