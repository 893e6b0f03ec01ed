/** Ways to stop a query (R24; pains 3, 26, 48). After each: no process, no handler at work, no open input, no files. */
import { getEventListeners } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../src/index.js';
import { AbortError, createSdkMcpServer, tool } from '../../src/index.js';
import { failOnTrouble, run, user } from '../support/fake-cli.js';
import { alive } from '../support/real-cli.js';

failOnTrouble();

/** Private files go to TMPDIR, so a directory of our own shows each that is left. */
const temporary = mkdtempSync(join(tmpdir(), 'stopping-'));
const before = process.env.TMPDIR;
beforeAll(() => {
  process.env.TMPDIR = temporary;
});
afterAll(async () => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  await rm(temporary, { recursive: true, force: true });
});

/** A query in the middle of a tool call, with its input open and a secret in a private file. */
async function inTheMiddle() {
  let begin = (_signal: AbortSignal): void => {};
  const begun = new Promise<AbortSignal>((resolve) => {
    begin = resolve;
  });
  let cleaned = (): void => {};
  const inputReleased = new Promise<void>((resolve) => {
    cleaned = resolve;
  });
  // Never settles: stopping must not wait for it.
  const add = tool('add', 'Waits for ever', {}, (_args, { signal }) => {
    begin(signal);
    return new Promise<never>(() => {});
  });
  const input: AsyncIterable<ReturnType<typeof user>> = {
    [Symbol.asyncIterator]() {
      let first = true;
      return {
        next: async () => {
          if (!first) return new Promise<never>(() => {});
          first = false;
          return { done: false, value: user('go') };
        },
        return: async () => {
          cleaned();
          return { done: true, value: undefined };
        },
      };
    },
  };
  const controller = new AbortController();
  const other = new AbortController();
  const running = run(
    'calls-tool-at-once',
    {
      abortController: controller,
      signal: other.signal,
      mcpServers: {
        calc: createSdkMcpServer({ name: 'calc', tools: [add] }),
        secret: { command: 'unused', env: { TOKEN: 'secret' } },
      },
    },
    input,
  );
  const toolSignal = await begun;
  return { running, controller, other, toolSignal, inputReleased };
}

type Middle = Awaited<ReturnType<typeof inTheMiddle>>;

const ways: [name: string, stop: (middle: Middle) => unknown, throws?: RegExp | string][] = [
  [
    'break',
    async ({ running }) => {
      for await (const _message of running) break;
    },
  ],
  [
    'a throw in the loop',
    async ({ running }) => {
      for await (const _message of running) throw new Error('from the body');
    },
    'from the body',
  ],
  ['return()', ({ running }) => running.return()],
  ['throw()', ({ running }) => running.throw(new Error('given to throw()')), 'given to throw()'],
  ['close()', ({ running }) => running.close()],
  [
    'await using',
    async ({ running }) => {
      await using disposed = running;
      await disposed.next();
    },
  ],
  [
    'abortController.abort()',
    async ({ running, controller }) => {
      setImmediate(() => controller.abort(new Error('the reason')));
      for await (const _message of running);
    },
    /aborted/,
  ],
  [
    'the abort of `signal`',
    async ({ running, other }) => {
      setImmediate(() => other.abort());
      for await (const _message of running);
    },
    /aborted/,
  ],
];

describe.concurrent.each(ways)('%s in the middle of a tool call', (_name, stop, throws) => {
  it('ends the process, the handler, the input and what waits for them', async () => {
    const middle = await inTheMiddle();
    const { running, controller, other, toolSignal, inputReleased } = middle;
    const request = running.mcpServerStatus();
    request.catch(() => {});
    expect(toolSignal.aborted).toBe(false);
    const stopped = Promise.resolve(stop(middle));
    if (throws === undefined) await stopped;
    else await expect(stopped).rejects.toThrow(throws);
    expect(toolSignal.aborted).toBe(true);
    await inputReleased;
    await expect(running.next()).resolves.toEqual({ done: true, value: undefined });
    // The fake answers every request: it may have been quicker.
    await Promise.allSettled([request]);
    await running.exited;
    expect(alive(running.pid ?? 0)).toBe(false);
    await expect(running.done).rejects.toMatchObject({ code: expect.stringMatching(/ABORTED|NO_RESULT/) });
    for (const { signal } of [controller, other]) expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it('leaves no private files behind', () => {
  expect(readdirSync(temporary).filter((name) => name.startsWith('tenon-'))).toEqual([]);
});

describe.concurrent('stopping', () => {
  it.each([0, 1, 2, 3, 4, 5])('by break at message %i leaves no process (pain 48)', async (index) => {
    const running = run('unknown-messages');
    let count = 0;
    for await (const _message of running) if (count++ === index) break;
    expect(count).toBe(index + 1);
    expect(alive(running.pid ?? 0)).toBe(false);
    await expect(running.next()).resolves.toMatchObject({ done: true });
  });

  /** Starts a query with a secret, and finds the private directory that was made for it. */
  function withSecret(name: string): { running: Query; files: string[] } {
    const others = readdirSync(temporary);
    const running = run(name, { mcpServers: { secret: { command: 'unused', env: { TOKEN: 'secret' } } } });
    const files = readdirSync(temporary).filter((file) => !others.includes(file));
    expect(files).toEqual([expect.stringMatching(/^tenon-/)]);
    return { running, files };
  }

  it('before the first line leaves no process and no file', async () => {
    const { running, files } = withSecret('answers-nothing.sh');
    await running.close();
    expect(alive(running.pid ?? 0)).toBe(false);
    expect(readdirSync(temporary)).not.toContain(files[0]);
  });

  it('later finds the file gone already: it goes when the CLI has read it', async () => {
    const { running, files } = withSecret('answers-only-initialize');
    await running.initializationResult();
    expect(readdirSync(temporary)).not.toContain(files[0]);
    expect(alive(running.pid ?? 0)).toBe(true);
    await running.close();
  });

  it('by abort is heard at once, even when the CLI does not leave before SIGKILL (pain 26)', async () => {
    const controller = new AbortController();
    const env = { FAKE_TURN: 'endless' };
    const running = run('ignores-sigterm', { abortController: controller, env });
    await running.next();
    const next = running.next();
    const pending = running.setModel('other').then(() => running.initializationResult());
    pending.catch(() => {});
    const reason = new Error('enough');
    const started = performance.now();
    controller.abort(reason);
    const error = await next.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(performance.now() - started).toBeLessThan(1_500);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ code: 'ABORTED', name: 'AbortError', cause: reason });
    expect(alive(running.pid ?? 0)).toBe(true);
    await Promise.allSettled([pending]);
    await expect(running.done).rejects.toBe(error);
    await expect(running.exited).resolves.toEqual({ code: null, signal: 'SIGKILL' });
    expect(alive(running.pid ?? 0)).toBe(false);
  });

  it('before the start starts nothing', async () => {
    let spawned = 0;
    const reason = new Error('too early');
    const running = run('well-behaved', {
      signal: AbortSignal.abort(reason),
      spawnClaudeCodeProcess: () => {
        spawned += 1;
        throw new Error('must not be called');
      },
    });
    expect(running.pid).toBeUndefined();
    await expect(running.next()).rejects.toMatchObject({ code: 'ABORTED', cause: reason });
    await expect(running.next()).resolves.toEqual({ done: true, value: undefined });
    await expect(running.initializationResult()).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(running.exited).resolves.toEqual({ code: null, signal: null });
    expect(spawned).toBe(0);
  });

  it('after the end changes nothing', async () => {
    const controller = new AbortController();
    const running = run('well-behaved', { abortController: controller });
    const messages: unknown[] = [];
    for await (const message of running) messages.push(message);
    controller.abort();
    await running.close();
    await running.return();
    await expect(running.next()).resolves.toEqual({ done: true, value: undefined });
    await expect(running.done).resolves.toMatchObject({ subtype: 'success' });
    await expect(running.exited).resolves.toEqual({ code: 0, signal: null });
    expect(messages).toHaveLength(3);
  });

  it('twice, and by everybody at once, is stopping once', async () => {
    const running = run('answers-only-initialize');
    await running.initializationResult();
    const next = running.next();
    await Promise.all([running.close(), running.close(), running.return(), running[Symbol.asyncDispose]()]);
    await running.close();
    await expect(next).resolves.toEqual({ done: true, value: undefined });
    expect(alive(running.pid ?? 0)).toBe(false);
  });
});

describe.concurrent('two readers of one query', () => {
  const read = async (running: Query): Promise<unknown[]> => {
    const messages: unknown[] = [];
    for await (const message of running) messages.push(message);
    return messages;
  };

  it('share its messages: each comes once, and both end', async () => {
    const running = run('unknown-messages');
    const [left, right] = await Promise.all([read(running), read(running)]);
    expect(new Set([...left, ...right]).size).toBe(6);
    expect(left.length + right.length).toBe(6);
  });

  it('share its error: one is told, the other ends', async () => {
    const running = run('exits-with-stderr');
    const outcomes = await Promise.allSettled([read(running), read(running)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
