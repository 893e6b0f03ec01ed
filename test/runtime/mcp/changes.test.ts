/** Servers that come and go while others still leave: what is there in the end is what was asked for last. */
import { expect, it } from 'vitest';
import { byHandServer } from '../../support/by-hand-server.js';
import { alive } from '../../support/real-cli.js';
import { openHub } from './support.js';

it('of two lists of servers that are set at once, the later one counts', async () => {
  using server = byHandServer();
  await using test = openHub({ before: server.config });
  await test.until('connected', 'before');
  const first = test.hub.set({ first: server.config });
  const second = test.hub.set({ second: server.config });
  expect(await first).toEqual({ added: ['first'], removed: ['before'], errors: {} });
  expect(await second).toEqual({ added: ['second'], removed: ['first'], errors: {} });
  expect(test.hub.names).toEqual(['second']);
});

it('a server that was to come when the conversation ended is never started', async () => {
  using before = byHandServer();
  using after = byHandServer();
  await using test = openHub({ before: before.config });
  await test.until('connected', 'before');
  const changing = test.hub.set({ after: after.config });
  await test.hub.close();
  await expect(changing).rejects.toMatchObject({ code: 'CLOSED' });
  expect(test.hub.names).toEqual([]);
  expect(after.journal()).toEqual([]);
});

it('the end waits for servers that were already leaving', async () => {
  using server = byHandServer();
  await using test = openHub({ leaving: server.config });
  await test.until('connected', 'leaving');
  void test.hub.remove('leaving');
  await test.hub.close();
  expect(server.events('start').map((pid) => alive(pid as number))).toEqual([false]);
});

it.each(['constructor', 'toString'])('a server may be called %s', async (name) => {
  using server = byHandServer();
  await using test = openHub({});
  expect(await test.hub.set({ [name]: server.config })).toEqual({ added: [name], removed: [], errors: {} });
  await test.until('connected', name);
  expect(await test.hub.set({})).toEqual({ added: [], removed: [name], errors: {} });
});
