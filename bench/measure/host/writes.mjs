// @ts-check
/** How often a call of a tool is written to the disk: what a turn with many calls needs more than one with a single call. */
import pg from 'pg';
import { startPostgres } from '../../lib/postgres.mjs';
import { median } from '../../lib/statistics.mjs';
import { callingModel, options } from '../runtime.mjs';
import { open, talking } from './hosted.mjs';

const [FEW, MANY] = [1, 11];

/** @param {{ number: number }} parameters */
export async function hostWrites({ number }) {
  const server = await startPostgres(['autovacuum=off']);
  const few = await writesOf(server.connectionString, FEW, number);
  const many = await writesOf(server.connectionString, MANY, number);
  await server.stop();
  return { perCall: (many - few) / (MANY - FEW), perTurn: few };
}

/**
 * Of one turn, with so many calls in one answer. Events are collected until its end: how often they are stored before depends on
 * how long it takes.
 *
 * @param {string} connectionString
 * @param {number} calls
 * @param {number} number
 */
async function writesOf(connectionString, calls, number) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { host } = open({
    connectionString,
    options: options(undefined, callingModel(calls)),
    events: { batchMs: 60_000 },
  });
  const turn = talking(host);
  await turn(calls);
  const writes = [];
  for (let index = 0; index < number; index += 1) {
    const before = await transactions(client);
    await turn(calls);
    writes.push((await transactions(client)) - before);
  }
  await host.close();
  await client.end();
  // Now and then a lease is renewed, whatever the turn does.
  return median(writes);
}

/** How many have changed something so far, by the server's own count: others get no number. @param {pg.Client} client */
async function transactions(client) {
  const { rows } = await client.query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next');
  return Number(rows[0].next);
}
