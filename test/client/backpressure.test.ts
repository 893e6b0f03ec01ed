/** A consumer that falls behind: the agent waits where it may, and is answered where it must be (pain 48, docs/guide/running-agents.md). */
import { afterAll, describe, expect, it } from 'vitest';
import type { Options, Query, SDKMessage } from '../../src/index.js';
import { calculator, failOnTrouble, fortyTwo, run } from '../support/fake-cli.js';
import { alive, collect, waitUntil } from '../support/real-cli.js';

const warnings: Error[] = [];
failOnTrouble((warning) => {
  const isOurs = 'code' in warning && warning.code === 'TENON_UNREAD_MESSAGES';
  if (isOurs) warnings.push(warning);
  return isOurs;
});
afterAll(() => {
  // One query of this file had callbacks and nobody who read: it was told once.
  expect(warnings).toHaveLength(1);
});

const MEGABYTE = 2 ** 20;
/** What the operating system and the streams hold on top of the budget. */
const SLACK = 4;

/** A flood, and how many megabytes of it the CLI could write so far. */
function flood(megabytes: number, options: Options = {}): { running: Query; written: () => number } {
  let written = 0;
  const running = run('floods-stdout', {
    maxUnreadBytes: 8 * MEGABYTE,
    ...options,
    env: { ...options.env, FAKE_MEGABYTES: String(megabytes) },
    stderr: (text) => {
      written = Number(/wrote (\d+)\n$/.exec(text)?.[1] ?? written);
    },
  });
  return { running, written: () => written };
}

/** Waits until the CLI cannot write any more. */
async function stalled(written: () => number, atLeast: number): Promise<number> {
  let [before, since] = [-1, performance.now()];
  await waitUntil(
    () => {
      if (written() !== before) [before, since] = [written(), performance.now()];
      return before >= atLeast && performance.now() - since > 700;
    },
    { what: 'the flood to be held up' },
  );
  return before;
}

interface Flood {
  type: string;
  index: number;
  lines: number;
  call?: object;
}

/** Reads the rest and sees that each line of the flood came once and in order. */
async function expectEverything(running: Query): Promise<Flood> {
  let next = 0;
  let outOfOrder = 0;
  let report: Flood | undefined;
  let last: SDKMessage | undefined;
  for await (const message of running) {
    const line = message as unknown as Flood;
    if (line.type === 'flood' && line.index !== next++) outOfOrder += 1;
    if (line.type === 'report') report = line;
    last = message;
  }
  expect(outOfOrder).toBe(0);
  expect(next).toBe(report?.lines);
  expect(last).toMatchObject({ type: 'result', subtype: 'success' });
  return report as Flood;
}

describe('a consumer that sleeps', () => {
  it('holds up a flood of 200 MB, and finds all of it when it wakes up', async () => {
    const before = process.memoryUsage().rss;
    const { running, written } = flood(200);
    expect(await stalled(written, 8)).toBeLessThanOrEqual(8 + SLACK);
    expect((process.memoryUsage().rss - before) / MEGABYTE).toBeLessThan(150);
    await expectEverything(running);
    expect(written()).toBe(200);
  });

  it('does not hold up a tool call in the middle of a flood, is warned once, and loses nothing', async () => {
    const { server, calls } = calculator();
    const { running, written } = flood(40, { mcpServers: { calc: server }, env: { FAKE_CALL: 'tool' } });
    // The flood goes on after the call only when the call was answered.
    await waitUntil(() => written() === 40, { what: 'the end of the flood' });
    expect(calls).toEqual([{ a: 15, b: 27 }]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toMatch(/bytes of unread messages/);
    expect((await expectEverything(running)).call).toMatchObject(fortyTwo);
  });

  it('can still ask the agent something, and holds it up again after the answer', async () => {
    const { running, written } = flood(60);
    expect(await stalled(written, 8)).toBeLessThanOrEqual(8 + SLACK);
    await expect(running.interrupt()).resolves.toMatchObject({ subtype: 'interrupt' });
    await expect(running.setModel('other')).resolves.toBeUndefined();
    expect(await stalled(written, 8)).toBeLessThan(40);
    await expectEverything(running);
  });

  it('can close the query, though the agent is stuck in a write', async () => {
    const { running, written } = flood(60);
    await stalled(written, 8);
    await running.close();
    expect(alive(running.pid ?? 0)).toBe(false);
    await expect(running.next()).resolves.toEqual({ done: true, value: undefined });
  });

  it('loses nothing of what comes when the agent has left, however little it may keep', async () => {
    const running = run('writes-after-death', { maxUnreadBytes: 1_000 });
    await running.exited;
    const { messages, error } = await collect(running);
    expect(messages.map(({ type }) => type as string)).toEqual(['system', 'late', 'later']);
    expect(error).toMatchObject({ code: 'EXITED' });
  });
});
