/** Many queries leave no more behind than one: no listeners, no warnings, no processes (pains 3, 26, 42). */
import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failOnTrouble, run } from '../support/fake-cli.js';
import { alive, collect } from '../support/real-cli.js';

failOnTrouble();

const EVENTS = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP', 'beforeExit', 'uncaughtException'] as const;
const listeners = (): number[] => EVENTS.map((event) => process.listenerCount(event));
let before: number[] = [];
beforeAll(() => {
  before = listeners();
});
afterAll(() => {
  // One listener for the end of the host, however many queries there were; none on signals.
  expect(listeners().map((count, index) => count - (before[index] ?? 0))).toEqual([1, 0, 0, 0, 0, 0]);
});

const BATCH = 20;
/** A thousand queries; fewer in `npm run test:quick`. */
const BATCHES = process.env.TENON_TESTS === 'quick' ? 5 : 50;

it(`${BATCH * BATCHES} queries on one AbortController leave no listener and no warning (pain 42)`, async () => {
  const controller = new AbortController();
  const { signal } = controller;
  let most = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    const queries = Array.from({ length: BATCH }, () =>
      run('quick.sh', { abortController: controller, signal }),
    );
    most = Math.max(most, getEventListeners(signal, 'abort').length);
    const ends = await Promise.all(queries.map(collect));
    expect(ends.map(({ messages, error }) => [messages.length, error])).toEqual(
      queries.map(() => [1, undefined]),
    );
    expect(queries.filter(({ pid }) => alive(pid ?? 0))).toEqual([]);
  }
  expect(most).toBe(1);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('one abort stops all queries that share the controller (pain 26)', async () => {
  const controller = new AbortController();
  const queries = Array.from({ length: BATCH }, () =>
    run('answers-nothing.sh', { abortController: controller }),
  );
  const ends = queries.map(collect);
  controller.abort();
  for (const { error } of await Promise.all(ends)) expect(error).toMatchObject({ code: 'ABORTED' });
  await Promise.all(queries.map(({ exited }) => exited));
  expect(queries.filter(({ pid }) => alive(pid ?? 0))).toEqual([]);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

it('a query that is never read ends all the same, and can be asked for its result', async () => {
  const running = run('quick.sh');
  await expect(running.done).resolves.toMatchObject({ subtype: 'success' });
  await expect(running.exited).resolves.toEqual({ code: 0, signal: null });
});
