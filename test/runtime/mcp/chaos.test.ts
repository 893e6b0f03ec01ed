/**
 * Twenty servers of all kinds under load, while they are killed, hang, forget and come back at random (issue 5). No call is lost
 * without an error, none is carried out twice, every server ends in a truthful state, and nothing is left running.
 *
 * TENON_CHAOS_SECONDS=120 for the long form; TENON_CHAOS_SEED for another course of events (R69, pain 34).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { messageOf } from '../../../src/protocol/base/errors.js';
import { alive } from '../../support/real-cli.js';
import { InProcessServer, type Kind, makeServers, type ShakyServer } from './chaos-servers.js';
import { openHub, type TestHub } from './support.js';

const SECONDS = Number(process.env.TENON_CHAOS_SECONDS ?? 6);
const SEED = Number(process.env.TENON_CHAOS_SEED ?? 20_261_115);
const KINDS: Record<Kind, number> = { http: 6, sse: 5, stdio: 6, sdk: 3 };
const WORKERS = 24;

/** The same numbers for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Outcome {
  id: string;
  server: string;
  text?: string;
  error?: string;
}

/** Calls one server after the other, until it is over. */
async function work(worker: number, { hub, servers, random, outcomes, isOver }: Course): Promise<void> {
  for (let call = 0; !isOver(); call += 1) {
    const server = servers[Math.floor(random() * servers.length)] as ShakyServer;
    const id = `${worker}-${call}`;
    const outcome: Outcome = { id, server: server.name };
    const ms = random() < 0.3 ? Math.floor(random() * 100) : 0;
    try {
      const options = { server: server.name, timeoutMs: 2_000 };
      const { content } = await hub.call('do', { id, ms }, options);
      outcome.text = (content[0] as { text: string }).text;
    } catch (error) {
      outcome.error = messageOf(error);
      // As a model would not, either: at once the same again.
      await wait(20);
    }
    outcomes.push(outcome);
  }
}

interface Course {
  hub: TestHub;
  servers: ShakyServer[];
  random: () => number;
  outcomes: Outcome[];
  isOver: () => boolean;
}

/** Does something to one server after the other, and now and then asks the hub for something in the middle of it. */
async function trouble({ hub, servers, random, isOver }: Course): Promise<number> {
  const underWay = new Set<Promise<unknown>>();
  let events = 0;
  while (!isOver()) {
    const server = servers[Math.floor(random() * servers.length)] as ShakyServer;
    const dice = random();
    const doing =
      dice < 0.05
        ? hub.hub.reconnect(server.name)
        : dice < 0.1
          ? hub.hub.toggle(server.name, false).then(() => hub.hub.toggle(server.name, true))
          : server.suffer(random);
    const done: Promise<unknown> = doing.catch(() => {}).finally(() => underWay.delete(done));
    underWay.add(done);
    events += 1;
    await wait(20 + random() * 60);
  }
  await Promise.all(underWay);
  return events;
}

it(`20 servers, ${SECONDS} s, seed ${SEED}`, { timeout: SECONDS * 1000 + 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-chaos-'));
  const random = randomNumbers(SEED);
  const servers = await makeServers(KINDS, folder);
  const inProcess = servers.filter((server) => server instanceof InProcessServer);
  const hub = openHub(Object.fromEntries(servers.map(({ name, config }) => [name, config])), {
    // On a busy machine twenty servers at once take more than three seconds to begin with.
    connectTimeoutMs: 15_000,
    reconnect: { firstMs: 10, maxMs: 200, attempts: 1_000_000 },
    answer: (_, fields) => inProcess.find(({ name }) => name === fields.server_name)?.answer(fields),
  });
  try {
    await hub.hub.settled();
    expect(hub.hub.status().filter(({ status }) => status !== 'connected')).toEqual([]);

    const end = Date.now() + SECONDS * 1_000;
    const course: Course = { hub, servers, random, outcomes: [], isOver: () => Date.now() > end };
    const workers = Array.from({ length: WORKERS }, (_, worker) => work(worker, course));
    const events = await trouble(course);
    // Each call ends: nobody waits for one that is lost.
    await Promise.all(workers);
    await Promise.all(servers.map((server) => server.recover()));

    const { outcomes } = course;
    const done = new Map<string, number>();
    for (const server of servers) for (const id of server.done()) done.set(id, (done.get(id) ?? 0) + 1);
    const twice = [...done].filter(([, times]) => times > 1);
    expect(twice, 'calls that were carried out twice').toEqual([]);
    const wrong = outcomes.filter(({ id, text }) => text !== undefined && (text !== id || !done.has(id)));
    expect(wrong, 'answers to other calls').toEqual([]);
    const denied = outcomes.filter(({ id, error }) => error?.includes('is not connected') && done.has(id));
    expect(denied, 'calls that were carried out and said not to be').toEqual([]);

    await settle(hub, servers);
    await expectTruth(hub, servers);
    const failures = outcomes.filter(({ error }) => error !== undefined).length;
    console.log(`chaos: ${outcomes.length} calls, ${failures} with an error, ${events} events`);
    expect(outcomes.length).toBeGreaterThan(SECONDS * 20);
    expect(failures).toBeGreaterThan(0);
    expect(outcomes.length - failures).toBeGreaterThan(outcomes.length / 4);
  } finally {
    await hub.hub.close();
    const left = servers.flatMap((server) => server.pids()).filter(alive);
    await Promise.all(servers.map((server) => server.end()));
    rmSync(folder, { recursive: true, force: true });
    expect(left, 'processes that are left').toEqual([]);
  }
});

/** Nothing is under way any more; what has failed (its handshake met a server that hung) is asked for once more. */
async function settle(hub: TestHub, servers: readonly ShakyServer[]): Promise<void> {
  for (const { name } of servers) {
    await expect.poll(() => hub.status(name).status).not.toBe('pending');
    if (hub.status(name).status !== 'connected') await hub.hub.reconnect(name);
  }
}

/** What is said to be connected answers; what is dead is not said to be connected. */
async function expectTruth(hub: TestHub, servers: readonly ShakyServer[]): Promise<void> {
  const answers = servers.map(({ name }) => hub.text('do', { id: `last of ${name}` }, name));
  expect(await Promise.all(answers)).toEqual(servers.map(({ name }) => `last of ${name}`));
  expect(hub.hub.status().map(({ status }) => status)).toEqual(servers.map(() => 'connected'));
  const remote = servers.filter(({ kind }) => kind === 'http' || kind === 'sse');
  await Promise.all(remote.map((server) => server.end()));
  for (const { name } of remote) await hub.until('pending', name);
}
