// @ts-check
/** What people wait for: that a call which they have allowed begins, and that a page which was away is up to date again. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { toNodeHandler } from 'tenon/host';
import { startPostgres } from '../../lib/postgres.mjs';
import { median } from '../../lib/statistics.mjs';
import { callingModel, options } from '../runtime.mjs';
import { open, refOf, talking } from './hosted.mjs';

/**
 * From `answer()` to the first line of the handler: for a turn that waits in memory, and for one that was put away.
 *
 * @param {{ number: number }} parameters
 */
export async function hostApproval({ number }) {
  const server = await startPostgres();
  const held = await answerTimes(server.connectionString, number, 60_000);
  const away = await answerTimes(server.connectionString, number, 0);
  await server.stop();
  return { held: median(held), away: median(away), most: Math.max(...held, ...away) };
}

/**
 * @param {string} connectionString
 * @param {number} number
 * @param {number} holdMs
 */
async function answerTimes(connectionString, number, holdMs) {
  let began = () => {};
  const { allowedTools: _, ...asking } = options(() => began(), callingModel());
  const { host } = open({ connectionString, options: asking, approvals: { holdMs } });
  const approvals = host.approvals();
  /** @type {number[]} */
  const times = [];
  for (let index = 0; index < number; index += 1) {
    const ref = { tenant: 'bench', session: `held for ${holdMs}: ${index}` };
    await host.send(ref, 'hi');
    const { value: approval } = await approvals.next();
    if (!approval) throw new Error('Nobody was asked.');
    while (holdMs === 0 && (await host.session(ref))?.state !== 'waiting') await wait(5);
    const begun = new Promise((resolve) => {
      began = () => resolve(performance.now());
    });
    const answered = performance.now();
    await host.answer(approval.id, { behavior: 'allow' });
    times.push((await begun) - answered);
    while ((await host.session(ref))?.state !== 'idle') await wait(5);
  }
  await host.close();
  // The first meets code that is not compiled.
  return times.slice(Math.ceil(number / 5));
}

/** Of a conversation with so many events, a page has missed the last ones. */
const MISSED = 100;

/**
 * From the request to the last event that was missed: through HTTP, with the id of the last event that was seen.
 *
 * @param {{ events: number, number: number }} parameters
 */
export async function hostReconnect({ events, number }) {
  const server = await startPostgres();
  const { host } = open({ connectionString: server.connectionString });
  const turn = talking(host);
  while (Number((await host.session(refOf(0)))?.event ?? 0) < events) await turn(0);
  const last = Number((await host.session(refOf(0)))?.event);
  const http = createServer(toNodeHandler(host.handler({ authorize: () => refOf(0) })));
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
  const times = [];
  for (let index = 0; index < number; index += 1) {
    times.push(await upToDate(`http://127.0.0.1:${port}/sessions/${refOf(0).session}/events`, last));
  }
  http.closeAllConnections();
  http.close();
  await host.close();
  await server.stop();
  const warm = times.slice(Math.ceil(number / 5));
  return { p50: median(warm), most: Math.max(...warm) };
}

/**
 * @param {string} url
 * @param {number} last
 */
async function upToDate(url, last) {
  const started = performance.now();
  const leaving = new AbortController();
  const headers = { accept: 'text/event-stream', 'last-event-id': String(last - MISSED) };
  const response = await fetch(url, { headers, signal: leaving.signal });
  if (!response.ok || response.body === null) throw new Error(`The page was answered ${response.status}.`);
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes(`id: ${last}\n`)) break;
  }
  const took = performance.now() - started;
  leaving.abort();
  return took;
}
