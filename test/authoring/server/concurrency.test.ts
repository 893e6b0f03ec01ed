/** How many calls run at once: per tool, per server, and what the CLI is told of it (pain 53). */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import {
  type Concurrency,
  createSdkMcpServer,
  OptionError,
  type ToolContext,
  type ToolExtras,
  tool,
} from '../../../src/index.js';
import { LIMITS } from '../../../src/protocol/base/limits.js';
import { McpWire } from '../../support/mcp-wire.js';

interface Call {
  tool: string;
  n: number;
  context: ToolContext;
  finish(): void;
  fail(): void;
}

/** Tools `a` and `b` whose calls end when told; `begun` are those that have begun, in order. */
async function serving(extras: ToolExtras, server?: Concurrency, extrasOfB: ToolExtras = extras) {
  const begun: Call[] = [];
  const waiting = (name: string, own: ToolExtras) =>
    tool(
      name,
      'd',
      { n: z.number() },
      ({ n }, context) =>
        new Promise<string>((resolve, reject) => {
          begun.push({
            tool: name,
            n,
            context,
            finish: () => resolve(`${n}`),
            fail: () => reject(new Error('no')),
          });
        }),
      own,
    );
  const tools = [waiting('a', extras), waiting('b', extrasOfB)];
  const { instance } = createSdkMcpServer({ name: 's', tools, concurrency: server });
  const wire = await McpWire.to(instance);
  const call = (name: string, n: number) =>
    wire.exchange('tools/call', { name, arguments: { n } }, `${name}${n}`);
  const cancel = (id: string) =>
    wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
  /** Which calls have begun, once everything that can begin has. */
  const running = async () => {
    for (let round = 0; round < 5; round += 1) await turn();
    return begun.map(({ tool: name, n }) => `${name}${n}`);
  };
  return { begun, call, cancel, running, instance, wire };
}

describe('of a tool', () => {
  test.each<[string, ToolExtras]>([
    ['not given', {}],
    ["'parallel'", { concurrency: 'parallel' }],
  ])('%s: all at once', async (_, extras) => {
    const { call, running } = await serving(extras);
    for (let n = 0; n < 15; n += 1) void call('a', n);
    expect(await running()).toHaveLength(15);
  });

  test("'serial': one after another, in order, whatever becomes of them", async () => {
    const { begun, call, running } = await serving({ concurrency: 'serial' });
    const answers = [1, 2, 3].map((n) => call('a', n));
    expect(await running()).toEqual(['a1']);
    begun[0]?.fail();
    expect(await running()).toEqual(['a1', 'a2']);
    begun[1]?.finish();
    expect(await running()).toEqual(['a1', 'a2', 'a3']);
    begun[2]?.finish();
    expect(await Promise.all(answers)).toMatchObject([
      { result: { isError: true } },
      { result: { content: [{ text: '2' }] } },
      { result: { content: [{ text: '3' }] } },
    ]);
  });

  test('a number: that many', async () => {
    const { begun, call, running } = await serving({ concurrency: 2 });
    for (const n of [1, 2, 3, 4]) void call('a', n);
    expect(await running()).toEqual(['a1', 'a2']);
    begun[1]?.finish();
    expect(await running()).toEqual(['a1', 'a2', 'a3']);
  });

  test('is for this tool alone, and for all of its connections', async () => {
    const { call, running, instance } = await serving({ concurrency: 'serial' });
    const second = await McpWire.to(instance);
    void call('a', 1);
    void call('b', 1);
    expect(await running()).toEqual(['a1', 'b1']);
    void second.call('a', { n: 2 });
    expect(await running()).toEqual(['a1', 'b1']);
  });

  test('a call that breaks the rules of the schema waits for nobody', async () => {
    const { call, wire } = await serving({ concurrency: 'serial' });
    void call('a', 1);
    expect(await wire.call('a', {})).toMatchObject({ isError: true });
  });
});

describe('of a server', () => {
  test('counts the calls of all tools', async () => {
    const { begun, call, running } = await serving({}, 'serial');
    void call('a', 1);
    void call('b', 1);
    void call('a', 2);
    expect(await running()).toEqual(['a1']);
    begun[0]?.finish();
    expect(await running()).toEqual(['a1', 'b1']);
  });

  test('leaves its places to other tools while a serial one has a queue', async () => {
    const { call, running } = await serving({ concurrency: 'serial' }, 2, {});
    for (const n of [1, 2, 3]) void call('a', n);
    void call('b', 1);
    expect(await running()).toEqual(['a1', 'b1']);
  });
});

describe('a cancelled call', () => {
  test('that waits for its turn does not begin, and keeps nobody waiting', async () => {
    const { begun, call, cancel, running, wire } = await serving({ concurrency: 'serial' });
    for (const n of [1, 2, 3]) void call('a', n);
    expect(await running()).toEqual(['a1']);
    cancel('a2');
    begun[0]?.finish();
    expect(await running()).toEqual(['a1', 'a3']);
    begun[1]?.finish();
    await vi.waitUntil(() => wire.responses.length === 2);
    expect(wire.responses.map(({ id }) => id)).toEqual(['a1', 'a3']);
  });

  test('keeps its place until its handler has ended', async () => {
    const { begun, call, cancel, running } = await serving({ concurrency: 'serial' });
    void call('a', 1);
    void call('a', 2);
    expect(await running()).toEqual(['a1']);
    cancel('a1');
    expect(begun[0]?.context.signal.aborted).toBe(true);
    expect(await running()).toEqual(['a1']);
    begun[0]?.finish();
    expect(await running()).toEqual(['a1', 'a2']);
  });
});

describe('a handler that runs on after its time', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test.each<[string, Parameters<typeof serving>]>([
    ['its tool', [{ concurrency: 'serial', timeout: 1_000 }]],
    ['its server', [{ timeout: 1_000 }, 'serial']],
    ['both', [{ concurrency: 'serial', timeout: 1_000 }, 'serial']],
  ])(
    'keeps the place of %s, so that serial is serial; its call is answered in time',
    async (_, parameters) => {
      const { begun, call, running } = await serving(...parameters);
      const first = call('a', 1);
      const second = call('a', 2);
      expect(await running()).toEqual(['a1']);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await first).toMatchObject({
        result: { isError: true, content: [{ text: 'Tool "a" timed out after 1000 ms.' }] },
      });
      expect(await running()).toEqual(['a1']);
      await vi.advanceTimersByTimeAsync(500);
      begun[0]?.fail();
      expect(await running()).toEqual(['a1', 'a2']);
      // Its own time begins with its handler.
      await vi.advanceTimersByTimeAsync(900);
      begun[1]?.finish();
      expect(await second).toMatchObject({ result: { content: [{ text: '2' }] } });
    },
  );

  test.each([
    [1_000, 1_000],
    [0, LIMITS.lateHandlerMs],
  ])(
    'is not waited for without end: with a limit of %i ms others are told after %i ms, and a place that becomes free is used',
    async (timeout, patience) => {
      const { begun, call, cancel, running } = await serving({ concurrency: 2, timeout }, 2);
      for (const n of [1, 2]) void call('a', n);
      const third = call('a', 3);
      expect(await running()).toEqual(['a1', 'a2']);
      // As long as one of them is in time, the others wait for their turn.
      cancel('a1');
      if (timeout === 0) await vi.advanceTimersByTimeAsync(patience * 2);
      cancel('a2');
      await vi.advanceTimersByTimeAsync(patience - 1);
      const fourth = call('a', 4);
      expect(await running()).toEqual(['a1', 'a2']);
      await vi.advanceTimersByTimeAsync(1);
      expect(await third).toMatchObject({
        result: {
          isError: true,
          content: [{ text: expect.stringMatching(/^Tool "a" did not begin within \d+ ms: .*`signal`/) }],
        },
      });
      begun[0]?.finish();
      expect(await running()).toEqual(['a1', 'a2', 'a4']);
      begun[2]?.finish();
      expect(await fourth).toMatchObject({ result: { content: [{ text: '4' }] } });
    },
  );
});

describe('the CLI, which runs calls side by side only of tools with this hint,', () => {
  test.each<[Concurrency | undefined, unknown]>([
    [undefined, undefined],
    ['serial', undefined],
    [1, undefined],
    ['parallel', { readOnlyHint: true }],
    [3, { readOnlyHint: true }],
  ])('is told of %j: %j', async (concurrency, annotations) => {
    const definition = tool('t', 'd', {}, () => '', { concurrency });
    const [listed] = await createSdkMcpServer({ name: 's', tools: [definition] }).instance.listTools();
    expect(listed?.annotations).toEqual(annotations);
  });

  test("is told the author's own word, where there is one", async () => {
    const annotations = { readOnlyHint: false, title: 'Write' };
    const definition = tool('t', 'd', {}, () => '', { concurrency: 'parallel', annotations });
    const [listed] = await createSdkMcpServer({ name: 's', tools: [definition] }).instance.listTools();
    expect(listed?.annotations).toEqual(annotations);
  });
});

test.each([0, -1, 1.5, Number.NaN, 'one', null])('%j is refused', (bad) => {
  const concurrency = bad as Concurrency;
  expect(() => tool('t', 'd', {}, () => '', { concurrency })).toThrow(
    /^Tool "t": `concurrency` must be 'parallel'/,
  );
  expect(() => createSdkMcpServer({ name: 's', concurrency })).toThrow(OptionError);
});
