/** Ways to stop a query (R24; pains 3, 26, 48). After each: no process, no handler at work, no open input, no files. */
import { getEventListeners } from 'node:events';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, tool } from '../../src/index.js';
import { failOnTrouble, run, user } from '../support/fake-cli.js';
import { alive } from '../support/real-cli.js';
import { temporaryDirectory } from '../support/temporary.js';

failOnTrouble();

/** Where private files go. */
const temporary = temporaryDirectory();

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
    await expect(running.done).rejects.toMatchObject({ code: expect.stringMatching(/ABORTED|CLOSED/) });
    for (const { signal } of [controller, other]) expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it('leaves no private files behind', () => {
  expect(readdirSync(temporary).filter((name) => name.startsWith('tenon-'))).toEqual([]);
});
