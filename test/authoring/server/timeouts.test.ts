/** `timeout`: of a tool, of a server, none; put off by progress; nobody else is disturbed (R17, pain 13). */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createSdkMcpServer,
  OptionError,
  type ToolContext,
  type ToolExtras,
  tool,
} from '../../../src/index.js';
import { McpWire } from '../../support/mcp-wire.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A tool that never returns, unless told. */
function waitingTool(name: string, extras: ToolExtras = {}) {
  const calls: { context: ToolContext; resolve(value: string): void; reject(error: Error): void }[] = [];
  const definition = tool(
    name,
    'Waits',
    {},
    (_args, context) => new Promise<string>((resolve, reject) => calls.push({ context, resolve, reject })),
    extras,
  );
  return { calls, definition };
}

async function serving(extras: ToolExtras, serverTimeout?: number) {
  const slow = waitingTool('slow', extras);
  const other = waitingTool('other');
  const server = createSdkMcpServer({
    name: 's',
    tools: [slow.definition, other.definition],
    timeout: serverTimeout,
  });
  const wire = await McpWire.to(server.instance);
  const call = (name = 'slow') => wire.call(name, {}, { progressToken: 1 });
  return { server, slow, other, wire, call };
}

const timedOut = (ms: number, name = 'slow') => ({
  content: [{ type: 'text', text: `Tool "${name}" timed out after ${ms} ms.` }],
  isError: true,
});

describe('a tool that takes too long', () => {
  test('is answered with its name and the limit, and its signal is aborted with the same words', async () => {
    const { slow, call } = await serving({ timeout: 5_000 });
    const answer = call();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(slow.calls[0]?.context.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toEqual(timedOut(5_000));
    expect(slow.calls[0]?.context.signal).toMatchObject({
      aborted: true,
      reason: { code: 'ABORTED', message: 'Tool "slow" timed out after 5000 ms.' },
    });
  });

  test('is forgotten by its clock when the call is withdrawn, also if its handler goes on for ever', async () => {
    const { slow, wire, call } = await serving({ timeout: 5_000 });
    void call();
    await vi.advanceTimersByTimeAsync(0);
    expect(slow.calls).toHaveLength(1);
    const [{ context }] = slow.calls as [(typeof slow.calls)[0]];
    expect(vi.getTimerCount()).toBe(1);
    const { requestId } = context;
    wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'no more' } });
    expect(vi.getTimerCount()).toBe(0);
    context.reportProgress(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(context.signal.reason).toMatchObject({ message: 'no more' });
  });

  test('disturbs no other call, neither of the same tool nor of another', async () => {
    const { slow, other, call } = await serving({ timeout: 5_000 });
    const [first, beside] = [call(), call('other')];
    await vi.advanceTimersByTimeAsync(3_000);
    const second = call();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await first).toEqual(timedOut(5_000));
    expect([slow.calls[1], other.calls[0]].map((each) => each?.context.signal.aborted)).toEqual([
      false,
      false,
    ]);
    slow.calls[1]?.resolve('second');
    other.calls[0]?.resolve('beside');
    expect(await second).toMatchObject({ content: [{ text: 'second' }] });
    expect(await beside).toMatchObject({ content: [{ text: 'beside' }] });
  });

  test('may still finish or fail: nobody hears of it, and nothing is unhandled', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { slow, wire, call } = await serving({ timeout: 1_000 });
    const answers = [call(), call()];
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(answers);
    slow.calls[0]?.reject(new Error('much too late'));
    slow.calls[1]?.resolve('too late');
    vi.useRealTimers();
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(wire.responses).toHaveLength(2);
  });

  test('has its questions withdrawn, and may ask no more', async () => {
    const { slow, wire, call } = await serving({ timeout: 1_000 });
    const answer = call();
    await vi.advanceTimersByTimeAsync(0);
    const question = slow.calls[0]?.context.elicit({ message: 'Go on?' });
    const refused = expect(question).rejects.toMatchObject({ code: 'ABORTED' });
    const [request] = wire.requests;
    await vi.advanceTimersByTimeAsync(1_000);
    await answer;
    await refused;
    expect(wire.notifications).toMatchObject([
      {
        method: 'notifications/cancelled',
        params: { requestId: request?.id, reason: 'Tool "slow" timed out after 1000 ms.' },
      },
    ]);
    await expect(slow.calls[0]?.context.elicit({ message: 'And now?' })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(wire.requests).toHaveLength(1);
  });
});

describe('progress', () => {
  test('starts the time anew', async () => {
    const { slow, wire, call } = await serving({ timeout: 1_000 });
    const answer = call();
    for (let step = 1; step <= 10; step += 1) {
      await vi.advanceTimersByTimeAsync(999);
      slow.calls[0]?.context.reportProgress(step, 10);
    }
    expect(wire.responses).toEqual([]);
    expect(wire.notifications).toHaveLength(10);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toEqual(timedOut(1_000));
  });

  test('after the end of a call is said to nobody, and keeps no timer', async () => {
    const { slow, wire, call } = await serving({ timeout: 1_000 });
    const answer = call();
    await vi.advanceTimersByTimeAsync(0);
    slow.calls[0]?.resolve('done');
    await answer;
    slow.calls[0]?.context.reportProgress(1);
    expect(wire.notifications).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('without a limit', () => {
  test.each<[string, ToolExtras, number | undefined]>([
    ['none given', {}, undefined],
    ['0 of the tool', { timeout: 0 }, undefined],
    ['0 of the server', {}, 0],
    ['0 of the tool, beside a limit of the server', { timeout: 0 }, 5_000],
    ['Infinity', { timeout: Number.POSITIVE_INFINITY }, undefined],
    ['more than a timer can wait', { timeout: 2 ** 31 }, undefined],
  ])('a tool of two hours comes to its end: %s', async (_, extras, serverTimeout) => {
    const { slow, call } = await serving(extras, serverTimeout);
    const answer = call();
    await vi.advanceTimersByTimeAsync(2 * 60 * 60 * 1_000);
    expect(slow.calls[0]?.context.signal.aborted).toBe(false);
    slow.calls[0]?.resolve('approved');
    expect(await answer).toEqual({ content: [{ type: 'text', text: 'approved' }] });
  });
});

test('the limit of the server holds where the tool has none, and that of the tool wins', async () => {
  const ofServer = await serving({}, 2_000);
  const first = ofServer.call();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await first).toEqual(timedOut(2_000));
  const ofTool = await serving({ timeout: 3_000 }, 1_000);
  const [slow, other] = [ofTool.call(), ofTool.call('other')];
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await other).toEqual(timedOut(1_000, 'other'));
  expect(ofTool.wire.responses).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await slow).toEqual(timedOut(3_000));
});

test('a call that ends in time leaves no timer behind', async () => {
  const { slow, call } = await serving({ timeout: 60_000 });
  const answer = call();
  await vi.advanceTimersByTimeAsync(0);
  slow.calls[0]?.resolve('done');
  await answer;
  expect(vi.getTimerCount()).toBe(0);
});

test.each([-1, Number.NaN, '5', null])('a limit of %j is refused', (bad) => {
  const timeout = bad as number;
  expect(() => tool('t', 'd', {}, () => '', { timeout })).toThrow(
    `Tool "t": \`timeout\` must be milliseconds, 0 or above; it is ${bad}.`,
  );
  expect(() => createSdkMcpServer({ name: 's', timeout })).toThrow(OptionError);
});
