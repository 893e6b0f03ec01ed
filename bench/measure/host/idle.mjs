// @ts-check
/** What a process holds for conversations that have had a turn, and have nothing to do now. */
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres } from '../../lib/postgres.mjs';
import { settledHeap } from '../conversation.mjs';
import { open, refOf } from './hosted.mjs';
import { together } from './together.mjs';

const HOUR_MS = 3_600_000;

/** As many as may wait are sent at once; more are refused. */
const AT_ONCE = 500;

/** @param {{ number: number, isEvicted: boolean }} parameters */
export async function hostIdle({ number, isEvicted }) {
  const server = await startPostgres();
  const { host } = open({
    connectionString: server.connectionString,
    idle: { evictAfterMs: isEvicted ? 1 : HOUR_MS, keep: number },
  });
  // What the first conversations need for all of them is not counted.
  await talked(host, 0, 200);
  const heap = await settledHeap();
  await talked(host, 200, number);
  const { open: inMemory } = await host.stats();
  if (!isEvicted && inMemory !== number) throw new Error(`${inMemory} of ${number} are in memory.`);
  const after = await settledHeap();
  const { rss } = process.memoryUsage();
  await host.close();
  await server.stop();
  return { resident: rss / 2 ** 20, heap: (after - heap) / 1024 / (number - 200) };
}

/**
 * A turn of each, and then until nothing is to be done.
 *
 * @param {import('tenon/host').Host} host
 * @param {number} from
 * @param {number} to
 */
async function talked(host, from, to) {
  const untilFewWait = async (/** @type {number} */ few) => {
    for (;;) {
      const { sessions, open } = await host.stats();
      if (sessions.queued + sessions.running <= few) return open;
      await wait(50);
    }
  };
  for (let next = from; next < to; next += AT_ONCE) {
    const count = Math.min(AT_ONCE, to - next);
    await together((index) => host.send(refOf(next + index), 'hi').then(() => {}), count, count);
    await untilFewWait(AT_ONCE / 2);
  }
  await untilFewWait(0);
}
