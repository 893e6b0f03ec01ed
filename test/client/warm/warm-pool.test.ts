/** warmPool on the real CLI (pain 6): ready before anybody asks, refilled, and nothing left behind. */
import { readlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Options, type WarmPool, warmPool } from '../../../src/index.js';
import { embedded } from '../../../src/runtime/index.js';
import { scriptedModel, text } from '../../../src/testing/index.js';
import { fakeCli } from '../../support/fake-cli.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { alive, collect, descendants } from '../../support/real-cli.js';
import { type ScriptedCli, scriptedCli } from '../../support/scripted-cli.js';

let cli: ScriptedCli;
let pool: WarmPool | undefined;

beforeEach(async () => {
  cli = await scriptedCli(() => text('Hello.'));
});

afterEach(async () => {
  await pool?.close();
  await cli[Symbol.asyncDispose]();
});

describe('a pool of two (pain 6)', () => {
  it('hands out processes that were ready before, refills itself, and leaves none behind', async () => {
    pool = warmPool(2, { options: cli.options() });
    await pool.filled();
    const ready = pool.pids;
    expect(ready).toHaveLength(2);
    const first = pool.query('hi');
    expect(ready).toContain(first.pid);
    const { messages, error } = await collect(first);
    expect(error).toBeUndefined();
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'Hello.' });
    await pool.filled();
    const all = [...ready, ...pool.pids];
    expect(new Set(all).size).toBe(3);
    await pool.close();
    expect(pool.ready).toBe(0);
    expect(all.filter(alive)).toEqual([]);
  });

  it('replaces a process that dies while it waits, and one that has waited too long', async () => {
    pool = warmPool(1, { options: cli.options(), maxAgeMs: 2000 });
    await pool.filled();
    const [killed] = pool.pids as [number];
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => pool?.pids).not.toContain(killed);
    await pool.filled();
    const [old] = pool.pids as [number];
    await expect.poll(() => pool?.pids).not.toContain(old);
    await pool.filled();
    await pool.close();
    expect([killed, old].filter(alive)).toEqual([]);
  });
});

describe('a pool whose agents do not start', () => {
  it('says why, and its queries fail with the same reason', async () => {
    pool = warmPool(1, { options: cli.options({ pathToClaudeCodeExecutable: '/nowhere/claude' }) });
    await expect(pool.filled()).rejects.toMatchObject({ code: 'CLI_NOT_FOUND' });
    const { error } = await collect(pool.query('hi'));
    expect(error).toMatchObject({ code: 'CLI_NOT_FOUND' });
  });
});

describe('a pool whose agents take for ever to start', () => {
  it.each(['at once', 'when one is starting'])('is closed %s, and ends them', async (moment) => {
    const [output, speaks] = signalled();
    const options = cli.options({
      pathToClaudeCodeExecutable: fakeCli('answers-nothing.sh'),
      stderr: speaks,
      closeGraceMs: 50,
    });
    pool = warmPool(1, { options, initializeTimeoutMs: 10 * PATIENCE_MS });
    if (moment !== 'at once') await output;
    const filling = pool.filled();
    const closed = pool.close();
    await expect(filling).rejects.toMatchObject({ code: 'CLOSED' });
    await closed;
    expect(processesIn(cli.box.cwd)).toEqual([]);
  });
});

/** A promise, and the function that fulfils it. */
function signalled(): [Promise<void>, () => void] {
  let signal = (): void => {};
  const promise = new Promise<void>((resolve) => {
    signal = resolve;
  });
  return [promise, signal];
}

/** The children of this process that run in a directory. */
function processesIn(directory: string): number[] {
  return descendants(process.pid).filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === directory;
    } catch {
      return false;
    }
  });
}

describe('a pool of embedded agents', () => {
  const embeddedOptions = (): Options => ({
    runtime: embedded({ model: scriptedModel(['One.', 'Two.', 'Three.']) }),
  });

  it('starts an agent at once when none waits', async () => {
    pool = warmPool(1, { options: embeddedOptions() });
    const answers = [pool.query('hi'), pool.query('hi'), pool.query('hi')].map(collect);
    const results = (await Promise.all(answers)).map(({ messages }) => messages.at(-1));
    expect(results).toEqual(Array.from({ length: 3 }, () => expect.objectContaining({ subtype: 'success' })));
  });

  it('hands nothing out after it was closed', async () => {
    pool = warmPool(1, { options: embeddedOptions() });
    const filling = pool.filled();
    const closed = pool.close();
    await expect(filling).rejects.toMatchObject({ code: 'CLOSED' });
    await closed;
    expect(() => pool?.query('hi')).toThrow(/the pool was closed/);
    await expect(pool.filled()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

it.each([
  [0, {}, 'size', /whole number of at least 1; it is 0/],
  [1.5, {}, 'size', /it is 1.5/],
  [1, { maxAgeMs: -1 }, 'maxAgeMs', /milliseconds above 0; it is -1/],
  [1, { options: { resume: 'x' } }, 'resume', /belongs to one conversation/],
  [1, { options: { sessionId: 'x' } }, 'sessionId', /belongs to one conversation/],
])('warmPool(%j, %j) is refused with a reason', (size, parameters, option, reason) => {
  expect(() => warmPool(size, parameters)).toThrow(
    expect.objectContaining({ option, message: expect.stringMatching(reason) }),
  );
});
