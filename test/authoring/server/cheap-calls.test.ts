/** What a call must not cost, counted and not timed. */
import { createHook } from 'node:async_hooks';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, tool } from '../../../src/index.js';
import { ServerConversation } from '../../support/server-conversation.js';

afterEach(() => vi.restoreAllMocks());

function countSignals(): () => number {
  const made = vi.spyOn(AbortController.prototype, 'signal', 'get');
  return () => made.mock.calls.length;
}

it('a call makes no signal unless its handler looks at it', async () => {
  const quiet = tool('quiet', 'Does not look', { text: z.string() }, ({ text }) => text);
  const looking = tool('looking', 'Looks', {}, (_, { signal }) => String(signal.aborted));
  const conversation = new ServerConversation(
    createSdkMcpServer({ name: 's', tools: [quiet, looking] }).instance,
  );
  await conversation.call('quiet', { text: 'warm' });
  const signals = countSignals();
  for (let index = 0; index < 20; index += 1) await conversation.call('quiet', { text: 'x' });
  expect(signals()).toBe(0);
  expect(await conversation.call('looking')).toBe('false');
  expect(signals()).toBeGreaterThan(0);
});

it('a call waits no more often than it must', async () => {
  const echo = tool('echo', 'Echoes', { text: z.string() }, async ({ text }) => text);
  const conversation = new ServerConversation(createSdkMcpServer({ name: 's', tools: [echo] }).instance);
  await conversation.call('echo', { text: 'warm' });
  let promises = 0;
  const count = (_: number, type: string): void => {
    if (type === 'PROMISE') promises += 1;
  };
  const hook = createHook({ init: count }).enable();
  for (let index = 0; index < 20; index += 1) await conversation.call('echo', { text: 'x' });
  hook.disable();
  // The test's own are among them. With messages between conversation and server they were twelve more.
  expect(promises / 20).toBeLessThanOrEqual(20);
});

it('arguments that need no repair are not copied before they are checked', async () => {
  const copies = vi.spyOn(Object, 'fromEntries');
  const echo = tool('echo', 'Echoes', { items: z.array(z.number()) }, ({ items }) => items.length);
  const conversation = new ServerConversation(createSdkMcpServer({ name: 's', tools: [echo] }).instance);
  copies.mockClear();
  expect(await conversation.call('echo', { items: [1, 2, 3] })).toBe('3');
  expect(copies).not.toHaveBeenCalled();
});
