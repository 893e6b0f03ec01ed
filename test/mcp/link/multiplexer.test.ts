/** One connection, many clients: what is shared, what is rewritten, and who hears what. */
import { expect, it } from 'vitest';
import { failOnTrouble } from '../../support/fake-cli.js';
import { HandServer, settled } from '../../support/shared-server.js';

failOnTrouble();

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'a', version: '1' },
};
const answer = (id: string | number, result: Record<string, unknown>) => ({
  jsonrpc: '2.0' as const,
  id,
  result,
});
const notification = (method: string, params?: Record<string, unknown>) => ({
  jsonrpc: '2.0' as const,
  method,
  params,
});

it('shakes hands once, and every client hears the answer under its own id', async () => {
  const server = new HandServer();
  const [one, other] = [await server.client(), await server.client()];
  const { id } = await server.request(one, 0, 'initialize', initialize);
  await server.send(other, { jsonrpc: '2.0', id: 'x', method: 'initialize', params: {} });
  expect(server.take()).toEqual([{ jsonrpc: '2.0', id, method: 'initialize', params: initialize }]);
  server.say(answer(id, { serverInfo: { name: 's' } }));
  await settled();
  expect(one.take()).toEqual([answer(0, { serverInfo: { name: 's' } })]);
  expect(other.take()).toEqual([answer('x', { serverInfo: { name: 's' } })]);

  const late = await server.client();
  await server.send(late, { jsonrpc: '2.0', id: 3, method: 'initialize', params: {} });
  expect(late.take()).toEqual([answer(3, { serverInfo: { name: 's' } })]);
  for (const client of [one, other, late])
    await server.send(client, notification('notifications/initialized'));
  expect(server.take()).toEqual([notification('notifications/initialized')]);
});

it('does not remember a handshake that was refused', async () => {
  const server = new HandServer();
  const client = await server.client();
  const { id } = await server.request(client, 0, 'initialize', {});
  server.say({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Bad version' } });
  await settled();
  expect(client.take()).toEqual([{ jsonrpc: '2.0', id: 0, error: { code: -32602, message: 'Bad version' } }]);
  server.take();
  await server.request(client, 1, 'initialize', initialize);
  expect(server.take()).toHaveLength(1);
});

it('rewrites ids and progress tokens, and gives them back', async () => {
  const server = new HandServer();
  const [one, other] = [await server.client(), await server.client()];
  const call = { name: 'add', _meta: { progressToken: 'p', more: true } };
  const first = await server.request(one, 7, 'tools/call', call);
  const second = await server.request(other, 7, 'tools/call', call);
  expect(first.id).not.toEqual(second.id);
  const tokens = [first, second].map(
    ({ params }) => (params as { _meta: { progressToken: number } })._meta.progressToken,
  );
  expect(new Set(tokens).size).toBe(2);
  expect(second.params).toEqual({ name: 'add', _meta: { progressToken: tokens[1], more: true } });

  server.say(notification('notifications/progress', { progressToken: tokens[1], progress: 1 }));
  server.say(answer(second.id, { from: 'second' }));
  server.say(answer(first.id, { from: 'first' }));
  expect(other.heard[0]).toEqual({
    message: notification('notifications/progress', { progressToken: 'p', progress: 1 }),
    relatedRequestId: 7,
  });
  expect(other.take().slice(1)).toEqual([answer(7, { from: 'second' })]);
  expect(one.take()).toEqual([answer(7, { from: 'first' })]);
  // After the answer nobody waits for reports.
  server.say(notification('notifications/progress', { progressToken: tokens[1], progress: 2 }));
  server.say(answer(second.id, { from: 'second again' }));
  expect([one.take(), other.take()]).toEqual([[], []]);
});

it('cancels what the client means, and nothing that it does not know', async () => {
  const server = new HandServer();
  const [one, other] = [await server.client(), await server.client()];
  await server.request(one, 1, 'tools/call', {});
  const { id } = await server.request(other, 1, 'tools/call', {});
  server.take();
  await server.send(other, notification('notifications/cancelled', { requestId: 1, reason: 'enough' }));
  await server.send(other, notification('notifications/cancelled', { requestId: 99 }));
  expect(server.take()).toEqual([
    notification('notifications/cancelled', { requestId: id, reason: 'enough' }),
  ]);
  server.say(answer(id, { late: true }));
  expect(other.take()).toEqual([]);
});

it('carries requests of the server to the client that it names, or whom alone it can mean', async () => {
  const server = new HandServer();
  const [one, other] = [await server.client(), await server.client()];
  const question = (id: string) => ({
    jsonrpc: '2.0' as const,
    id,
    method: 'elicitation/create',
    params: {},
  });
  const call = await server.request(one, 4, 'tools/call', {});
  await server.request(other, 4, 'tools/call', {});

  server.say(question('q1'), call.id);
  expect(one.heard[0]?.relatedRequestId).toBe(4);
  const [asked] = one.take() as { id: number }[];
  server.take();
  await server.send(one, answer(asked?.id ?? '', { action: 'accept' }));
  expect(server.take()).toEqual([answer('q1', { action: 'accept' })]);

  // Both have a call open: who is meant?
  server.say(question('q2'));
  await settled();
  expect(server.take()).toMatchObject([
    { id: 'q2', error: { message: expect.stringContaining('Several conversations share') } },
  ]);

  // Only the other has one.
  server.say(answer(call.id, {}));
  one.take();
  server.say(question('q3'));
  expect(other.heard[0]?.relatedRequestId).toBe(4);
  expect(other.take()).toHaveLength(1);
  expect(one.take()).toEqual([]);

  server.say(question('q4'), call.id);
  await settled();
  expect(server.take()).toMatchObject([{ id: 'q4', error: { message: expect.stringContaining('is over') } }]);
});

it('answers a ping of the server itself: it is meant for the connection', async () => {
  const server = new HandServer();
  const clients = [await server.client(), await server.client()];
  for (const client of clients) await server.request(client, 1, 'tools/call', {});
  server.take();
  server.say({ jsonrpc: '2.0', id: 'alive?', method: 'ping' });
  await settled();
  expect(server.take()).toEqual([answer('alive?', {})]);
  expect(clients.map((client) => client.take())).toEqual([[], []]);
});

it('takes back a question of the server under the id that the client knows', async () => {
  const server = new HandServer();
  const [one, other] = [await server.client(), await server.client()];
  const call = await server.request(one, 4, 'tools/call', {});
  server.say({ jsonrpc: '2.0', id: 0, method: 'elicitation/create', params: {} }, call.id);
  const [asked] = one.take() as { id: number }[];
  server.say(notification('notifications/cancelled', { requestId: 0, reason: 'timeout' }));
  expect(one.take()).toEqual([
    notification('notifications/cancelled', { requestId: asked?.id, reason: 'timeout' }),
  ]);
  expect(other.take()).toEqual([]);
});

it('tells each client what concerns it', async () => {
  const server = new HandServer();
  const [one, other] = [await server.client(), await server.client()];
  const call = await server.request(one, 1, 'tools/call', {});
  const methods = (client: typeof one) =>
    client.take().map((message) => 'method' in message && message.method);

  server.say(notification('notifications/message', { data: 'of the call' }), call.id);
  server.say(notification('notifications/tools/list_changed'), call.id);
  server.say(notification('notifications/message', { data: 'of the server' }));
  expect(methods(one)).toEqual([
    'notifications/message',
    'notifications/tools/list_changed',
    'notifications/message',
  ]);
  expect(methods(other)).toEqual(['notifications/tools/list_changed', 'notifications/message']);

  await server.request(other, 2, 'resources/subscribe', { uri: 'note://one' });
  server.say(notification('notifications/resources/updated', { uri: 'note://one' }));
  server.say(notification('notifications/resources/updated', { uri: 'note://two' }));
  expect(methods(one)).toEqual([]);
  expect(methods(other)).toEqual(['notifications/resources/updated']);
});

it('keeps a subscription at the server until the last subscriber has gone', async () => {
  const server = new HandServer();
  const [one, other, third] = [await server.client(), await server.client(), await server.client()];
  for (const client of [one, other]) await server.request(client, 1, 'resources/subscribe', { uri: 'a:b' });
  server.take();
  await server.send(one, { jsonrpc: '2.0', id: 2, method: 'resources/unsubscribe', params: { uri: 'a:b' } });
  expect(one.take()).toEqual([answer(2, {})]);
  expect(server.take()).toEqual([]);
  server.say(notification('notifications/resources/updated', { uri: 'a:b' }));
  expect([one.take().length, other.take().length]).toEqual([0, 1]);

  server.multiplexer.detach(other);
  await settled();
  expect(server.take()).toMatchObject([
    { method: 'notifications/cancelled' },
    { method: 'resources/unsubscribe', params: { uri: 'a:b' } },
  ]);
  server.multiplexer.detach(third);
});

it('lets a client leave: its calls are cancelled, its open questions answered, the others stay', async () => {
  const server = new HandServer();
  const [leaving, staying] = [await server.client(), await server.client()];
  const call = await server.request(leaving, 1, 'tools/call', {});
  const kept = await server.request(staying, 1, 'tools/call', {});
  server.say({ jsonrpc: '2.0', id: 'q', method: 'roots/list' }, call.id);
  leaving.take();
  server.take();
  server.multiplexer.detach(leaving);
  await settled();
  expect(server.take()).toEqual([
    notification('notifications/cancelled', { requestId: call.id }),
    { jsonrpc: '2.0', id: 'q', error: { code: -32603, message: 'The conversation has ended.' } },
  ]);
  server.say(answer(call.id, {}));
  server.say(answer(kept.id, { kept: true }));
  expect(leaving.take()).toEqual([]);
  expect(staying.take()).toEqual([answer(1, { kept: true })]);
  expect(server.closes).toBe(0);
});

it('gives the connection up with the last client, and makes the next one when that is done', async () => {
  let finishClose = (): void => {};
  const server = new HandServer({
    onClose: () =>
      new Promise((resolve) => {
        finishClose = resolve;
      }),
  });
  const first = await server.client();
  server.multiplexer.detach(first);
  const next = server.client();
  await settled();
  expect([server.closes, server.connections.length]).toEqual([1, 1]);
  finishClose();
  const second = await next;
  expect(server.connections).toHaveLength(2);

  // What the old connection says now is nobody's business.
  const [old] = server.connections;
  old?.message(notification('notifications/tools/list_changed'));
  old?.closed(new Error('late'));
  expect(second.take()).toEqual([]);
  expect(second.endings).toEqual([]);
  await server.request(second, 1, 'initialize', initialize);
  expect(server.take()).toHaveLength(1);
});

it('tells all clients when the server goes, and answers what they ask afterwards', async () => {
  const server = new HandServer();
  const clients = [await server.client(), await server.client()];
  const reason = new Error('gone');
  server.connections[0]?.closed(reason);
  expect(clients.map(({ endings }) => endings)).toEqual([[reason], [reason]]);
  const [client] = clients;
  if (client === undefined) throw new Error('unreachable');
  await server.send(client, { jsonrpc: '2.0', id: 9, method: 'ping' });
  await server.send(client, notification('notifications/initialized'));
  expect(client.take()).toMatchObject([{ id: 9, error: { message: 'The MCP server was closed.' } }]);
  // It may come back, to a new connection with a handshake of its own.
  await server.multiplexer.attach(client);
  await server.send(client, notification('notifications/initialized'));
  expect(server.take()).toEqual([notification('notifications/initialized')]);
});

it('says why a connection cannot be made, to all who wait for it, and tries anew for the next', async () => {
  let attempts = 0;
  const server = new HandServer({
    beforeOpen: async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('not yet');
    },
  });
  const outcomes = await Promise.allSettled([server.client(), server.client()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await server.client();
  expect(attempts).toBe(2);
});
