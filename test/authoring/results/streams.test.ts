/** A handler may return a stream of text: its parts are progress while it runs, the whole is the result. */
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { failure, type Served, served, text } from './handler.js';

const callWithProgress = ({ wire }: Served) => wire.call('give', {}, { progressToken: 'p' });
const progressOf = ({ wire }: Served) => wire.notifications.map(({ params }) => params);

/** A stream that is fed and ended by hand. */
function handMade() {
  let resume = (): void => {};
  let isOver = false;
  const waiting: string[] = [];
  const ended = vi.fn();
  async function* parts() {
    try {
      while (!isOver || waiting.length > 0) {
        const part = waiting.shift();
        if (part === undefined) await new Promise<void>((resolve) => (resume = resolve));
        else yield part;
      }
    } finally {
      ended();
    }
  }
  return {
    parts,
    ended,
    say(part: string) {
      waiting.push(part);
      resume();
    },
    finish() {
      isOver = true;
      resume();
    },
  };
}

describe('a stream of text', () => {
  test('is reported while it runs, and is whole at the end', async () => {
    const stream = handMade();
    const given = await served(() => stream.parts());
    const call = callWithProgress(given);
    stream.say('Hello');
    await vi.waitUntil(() => given.wire.notifications.length === 1);
    expect(given.wire.responses).toEqual([]);
    stream.say(', world');
    await vi.waitUntil(() => given.wire.notifications.length === 2);
    stream.finish();
    expect(await call).toEqual(text('Hello, world'));
    expect(progressOf(given)).toEqual([
      { progressToken: 'p', progress: 5, message: 'Hello' },
      { progressToken: 'p', progress: 12, message: ', world' },
    ]);
    expect(stream.ended).toHaveBeenCalledOnce();
  });

  test.each<[string, () => unknown, string]>([
    [
      'an async generator handler',
      async function* () {
        yield 'a';
        yield 'b';
      },
      'ab',
    ],
    ['a stream without parts', async function* () {}, ''],
    ['a Readable of text', () => Readable.from(['a', 'b']), 'ab'],
    [
      'a web stream of bytes, characters cut in two',
      () =>
        new ReadableStream({
          start(controller) {
            for (const byte of Buffer.from('zwei ✓ 🙂')) controller.enqueue(new Uint8Array([byte]));
            controller.close();
          },
        }),
      'zwei ✓ 🙂',
    ],
    [
      'parts that are no text',
      async function* () {
        yield 1;
        yield { a: 5n };
        yield null;
      },
      '1{"a":"5"}null',
    ],
  ])('may be %s', async (_, handler, expected) => {
    const given = await served(handler);
    expect(await given.call()).toEqual(text(expected));
  });

  test('that throws in the middle is a failure that keeps what came', async () => {
    const given = await served(async function* () {
      yield 'line 1\n';
      throw new Error('the disk is full');
    });
    expect(await given.call()).toEqual(failure('the disk is full\n\nWhat came before:\nline 1\n'));
    const atOnce = await served(
      // biome-ignore lint/correctness/useYield: it fails before its first part.
      async function* () {
        throw new Error('no disk');
      },
    );
    expect(await atOnce.call()).toEqual(failure('no disk'));
  });
});

describe('a cancelled call lets its stream go', () => {
  const cancel = ({ wire }: Served) =>
    wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } });

  test('which is asked for no more parts, and reports nothing more', async () => {
    const stream = handMade();
    const given = await served(() => stream.parts());
    void given.wire.exchange('tools/call', { name: 'give', _meta: { progressToken: 'p' } }, 'c');
    stream.say('one');
    await vi.waitUntil(() => given.wire.notifications.length === 1);
    cancel(given);
    stream.say('two');
    stream.say('three');
    await vi.waitUntil(() => stream.ended.mock.calls.length === 1);
    await turn();
    expect(given.wire.notifications).toHaveLength(1);
    expect(given.wire.responses).toEqual([]);
  });

  test('also one that is stuck: its iterator is told at once', async () => {
    const returned = vi.fn(async () => ({ done: true as const, value: undefined }));
    const stuck = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}), return: returned }),
    };
    const started = vi.fn(() => stuck);
    const given = await served(started);
    void given.wire.exchange('tools/call', { name: 'give' }, 'c');
    await vi.waitUntil(() => started.mock.calls.length === 1);
    await turn();
    cancel(given);
    expect(returned).toHaveBeenCalledOnce();
  });

  test('and so does one that ran out of time, which its parts put off', async () => {
    vi.useFakeTimers();
    try {
      const stream = handMade();
      const given = await served(() => stream.parts(), { timeout: 1_000 });
      const call = callWithProgress(given);
      for (let seconds = 0; seconds < 5; seconds += 1) {
        await vi.advanceTimersByTimeAsync(900);
        stream.say('.');
        await vi.advanceTimersByTimeAsync(0);
      }
      expect(given.wire.responses).toEqual([]);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await call).toEqual(failure('Tool "give" timed out after 1000 ms.'));
      stream.say('late');
      await vi.advanceTimersByTimeAsync(0);
      expect(stream.ended).toHaveBeenCalledOnce();
      expect(given.wire.notifications).toHaveLength(5);
    } finally {
      vi.useRealTimers();
    }
  });
});
