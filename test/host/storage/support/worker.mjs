// @ts-check
/**
 * A process with a storage of its own, for tests that stop, kill and outrun it. It reads commands as lines of JSON from stdin and
 * writes what comes of them to stdout; `said` lines come in between.
 */
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { postgresStorage } from 'tenon/host/postgres';

/** @typedef {import('tenon/host').Lease} Lease */
/** @typedef {import('tenon/host').SessionRef} SessionRef */

const { place, name, aheadMs = 0 } = JSON.parse(process.argv[2] ?? '{}');
const realNow = Date.now;
Date.now = () => realNow() + aheadMs;

const storage = postgresStorage(place);
/** @param {unknown} line */
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
let isStopping = false;

/** @type {Record<string, (...args: any[]) => Promise<unknown>>} */
const commands = {
  open: () => storage.open(),
  close: () => storage.close(),
  /**
   * Any method of the storage.
   * @param {string} part
   * @param {string} method
   */
  // @ts-expect-error: by name
  call: (part, method, ...args) => storage[part][method](...args),
  /**
   * @param {Lease} lease
   * @param {import('tenon/host').Commit} commit
   */
  commit: (lease, commit) => storage.commit(lease, commit),
  flood,
  work,
  stop: async () => {
    isStopping = true;
  },
};

/**
 * Sends prompts one after another, each until it is taken, and says so.
 *
 * @param {SessionRef} ref
 * @param {string} sender
 * @param {number} count
 */
async function flood(ref, sender, count) {
  for (let index = 0; index < count; index += 1) {
    const message = { kind: /** @type {const} */ ('prompt'), body: [sender, index] };
    await untilItWorks(() => storage.inbox.send(ref, message, { idempotencyKey: `${sender} ${index}` }));
    say({ said: 'sent', sender, index });
  }
}

/**
 * Does what a host does: claims conversations, and for each entry of their inboxes appends two events, then acknowledges it.
 *
 * @param {number} ttlMs
 */
async function work(ttlMs) {
  while (!isStopping) {
    const claimed = await storage.leases.claim({ owner: name, ttlMs, count: 4 }).catch(() => []);
    if (claimed.length === 0) await wait(5);
    await Promise.all(
      claimed.map((lease) => run(lease).catch((error) => say({ said: 'failed', code: error.code }))),
    );
  }
}

/** @param {Lease} lease */
async function run(lease) {
  for (;;) {
    const entries = await storage.inbox.read(lease, { limit: 10 });
    if (entries.length === 0) return storage.commit(lease, { release: { state: 'idle' } });
    for (const { id, number, body } of entries) {
      await storage.commit(lease, { events: [{ begin: id, by: name }] });
      // Together: who takes over in between would deal with the entry again.
      await storage.commit(lease, { events: [{ end: id, by: name, body }], acknowledge: [number] });
    }
  }
}

/** @param {() => Promise<unknown>} attempt */
async function untilItWorks(attempt) {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (/** @type {{ isTransient?: boolean }} */ (error).isTransient !== true) throw error;
      await wait(20);
    }
  }
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, command, args } = JSON.parse(line);
  try {
    say({ id, result: (await commands[command]?.(...args)) ?? null });
  } catch (error) {
    const { message, code } = /** @type {Error & { code?: string }} */ (error);
    say({ id, error: { message, code } });
  }
});
