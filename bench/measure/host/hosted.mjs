// @ts-check
/** What the measurements of a host share. */
import { createHost, memoryStorage } from 'tenon/host';
import { postgresStorage } from 'tenon/host/postgres';
import { options } from '../runtime.mjs';

/** @typedef {import('tenon/host').Host} Host */

/** @param {number} conversation */
export const refOf = (conversation) => ({
  tenant: `tenant-${conversation % 8}`,
  session: `user-${conversation}`,
});

/**
 * A host with the runtime and the scripted model of the other measurements. Without a server it is in memory.
 *
 * @param {{ connectionString?: string | undefined, pool?: import('pg').Pool } & Partial<import('tenon/host').HostOptions>} given
 */
export function open({ connectionString, pool, ...settings }) {
  let calls = 0;
  const isInMemory = connectionString === undefined && pool === undefined;
  const host = createHost({
    options: options(() => {
      calls += 1;
    }),
    storage: isInMemory
      ? memoryStorage()
      : postgresStorage(pool === undefined ? { connectionString } : { pool }),
    onProblem: ({ during, error }) => {
      throw new Error(`The host had a problem with ${during}.`, { cause: error });
    },
    ...settings,
  });
  return { host, calls: () => calls };
}

/**
 * Conversations of a host, each with one reader who stays, as a page does.
 *
 * @param {Host} host
 */
export function talking(host) {
  /** @type {Map<number, AsyncGenerator<import('tenon/host').HostEvent, void>>} */
  const readers = new Map();
  return async (/** @type {number} */ conversation) => {
    const events = readers.get(conversation) ?? host.events(refOf(conversation));
    readers.set(conversation, events);
    const { id } = await host.send(refOf(conversation), 'hi');
    await answered(events, id);
  };
}

/**
 * @param {AsyncGenerator<import('tenon/host').HostEvent, void>} events
 * @param {string} prompt
 */
async function answered(events, prompt) {
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error('The events have ended.');
    const { message } = value;
    if (message.type !== 'host' || message.subtype !== 'done' || message.prompt !== prompt) continue;
    if (message.outcome !== 'answered') throw new Error(`The turn is ${message.outcome}.`);
    return;
  }
}
