/** A server over stdio behind `proxyMcpServer()`: what passes, and when its process lives. */
import { expect, it } from 'vitest';
import { proxyMcpServer } from '../../../src/index.js';
import { byHandServer } from '../../support/by-hand-server.js';
import { failOnTrouble } from '../../support/fake-cli.js';
import { McpWire } from '../../support/mcp-wire.js';
import { alive, waitUntil } from '../../support/real-cli.js';
import { ServerConversation } from '../../support/server-conversation.js';

failOnTrouble();

const hello = {
  protocolVersion: '2025-06-18',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'test', version: '1.0.0' },
};

async function connect(server: ReturnType<typeof proxyMcpServer>): Promise<McpWire> {
  const wire = await McpWire.to(server.instance);
  await wire.request('initialize', hello);
  wire.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return wire;
}

it('starts the server when it is first used, once for all conversations, and stops it after the last', async () => {
  using upstream = byHandServer();
  const server = proxyMcpServer(upstream.config);
  expect(server).toMatchObject({ type: 'sdk', name: 'proxy' });
  const [one, other] = [await McpWire.to(server.instance), await McpWire.to(server.instance)];
  expect(upstream.journal()).toEqual([]);

  await Promise.all([one.request('initialize', hello), other.request('initialize', hello)]);
  const [first, second] = await Promise.all([one.call('pid'), other.call('pid')]);
  expect(first).toEqual(second);
  expect(upstream.events('start')).toHaveLength(1);
  expect(upstream.events('initialize')).toEqual([hello]);
  const pid = Number(upstream.events('start')[0]);

  await one.transport.close();
  expect(await other.call('echo', { text: 'still here' })).toMatchObject({
    content: [{ text: 'still here' }],
  });
  await other.transport.close();
  await waitUntil(() => !alive(pid), { what: 'the end of the server' });
  expect(upstream.journal().at(-1)).toEqual(['end']);
});

it('starts it anew for a conversation after the last one', async () => {
  using upstream = byHandServer();
  const server = proxyMcpServer(upstream.config);
  for (let round = 0; round < 2; round += 1) {
    const wire = await connect(server);
    expect(await wire.call('echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
    await wire.transport.close();
  }
  await server.instance.close();
  expect(upstream.journal().map(([event]) => event)).toEqual([
    ...['start', 'initialize', 'notifications/initialized', 'call', 'end'],
    ...['start', 'initialize', 'notifications/initialized', 'call', 'end'],
  ]);
});

it('is gone when close() has resolved', async () => {
  using upstream = byHandServer();
  const server = proxyMcpServer(upstream.config);
  const wires = [await connect(server), await connect(server)];
  const [pid] = upstream.events('start');
  let closed = 0;
  for (const wire of wires) {
    const { onclose } = wire.transport;
    wire.transport.onclose = () => {
      closed += 1;
      onclose?.();
    };
  }
  await server.instance.close();
  expect(alive(Number(pid))).toBe(false);
  expect(closed).toBe(2);
});

it('passes answers, errors, reports, logs and changes on as they are', async () => {
  using upstream = byHandServer('noisy', { SECRET: 'open sesame' });
  const server = proxyMcpServer(upstream.config);
  const wire = await McpWire.to(server.instance);
  expect(await wire.request('initialize', hello)).toEqual({
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: 'by hand', version: '1.0.0' },
    instructions: 'Handle with care.',
  });
  const { tools } = await wire.request<{ tools: { name: string }[] }>('tools/list');
  expect(tools.map(({ name }) => name)).toContain('echo');
  expect(await wire.call('env', { name: 'SECRET' })).toMatchObject({ content: [{ text: 'open sesame' }] });
  expect(await wire.fault('tools/call', { name: 'none' })).toEqual({
    code: -32602,
    message: 'Unknown tool: none',
    data: { name: 'none' },
  });
  expect(await wire.fault('no/such/method')).toEqual({
    code: -32601,
    message: 'Method not found: no/such/method',
  });

  await wire.call('report', { text: 'half' }, { progressToken: 'mine' });
  await wire.call('change');
  expect(wire.notifications).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'mine', progress: 1, total: 2, message: 'half' },
    },
    { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'half' } },
    { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
  ]);
  await server.instance.close();
});

it('inherits the environment of the host, as servers of the CLI do, and lets that of the config win', async () => {
  using upstream = byHandServer(undefined, { HOME: '/nowhere' });
  process.env.TENON_TEST_INHERITED = 'yes';
  const server = proxyMcpServer(upstream.config);
  const wire = await connect(server);
  delete process.env.TENON_TEST_INHERITED;
  expect(await wire.call('env', { name: 'TENON_TEST_INHERITED' })).toMatchObject({
    content: [{ text: 'yes' }],
  });
  expect(await wire.call('env', { name: 'HOME' })).toMatchObject({ content: [{ text: '/nowhere' }] });
  await server.instance.close();
});

it('carries a result of more than the 10 MB at which the library stops by default', async () => {
  using upstream = byHandServer();
  const server = proxyMcpServer(upstream.config);
  const wire = await connect(server);
  const size = 10.5 * 1024 * 1024;
  const { content } = await wire.call('big', { size });
  expect(String(content[0]?.text)).toHaveLength(size);
  await server.instance.close();
});

it('carries a cancellation to the server, and leaves the call without an answer', async () => {
  using upstream = byHandServer();
  const server = proxyMcpServer(upstream.config);
  const wire = await connect(server);
  void wire.exchange('tools/call', { name: 'wait' }, 'my call');
  await waitUntil(() => upstream.events('call').includes('wait'), { what: 'the call' });
  const params = { requestId: 'my call', reason: 'too slow' };
  wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  await waitUntil(() => upstream.events('notifications/cancelled').length > 0, { what: 'the cancellation' });
  expect(upstream.events('notifications/cancelled')).toEqual([
    { requestId: expect.any(Number), reason: 'too slow' },
  ]);
  await wire.request('ping');
  expect(wire.responses.map(({ id }) => id)).not.toContain('my call');
  await server.instance.close();
});

it('carries questions of the server to the conversation whose call is open', async () => {
  using upstream = byHandServer();
  const server = proxyMcpServer(upstream.config);
  const [asking, idle] = [await connect(server), await connect(server)];
  const call = asking.call('ask');
  await waitUntil(() => asking.requests.length > 0, { what: 'the question' });
  const [question] = asking.requests;
  expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } });
  asking.say({ jsonrpc: '2.0', id: question?.id ?? '', result: { action: 'decline' } });
  expect(await call).toMatchObject({ content: [{ text: '{"action":"decline"}' }] });
  expect(idle.requests).toEqual([]);
  await server.instance.close();
});

it('asks onElicitation and onSampling of the query', async () => {
  using upstream = byHandServer();
  const server = proxyMcpServer(upstream.config, { name: 'out' });
  const talk = await ServerConversation.with(server.instance, {
    onElicitation: async ({ message }) => ({ action: 'accept', content: { message } }),
    onSampling: async () => ({
      model: 'scripted',
      role: 'assistant',
      content: { type: 'text', text: 'Yes' },
    }),
  });
  expect(upstream.events('initialize')).toMatchObject([{ capabilities: { elicitation: {}, sampling: {} } }]);
  expect(JSON.parse(await talk.call('ask'))).toEqual({ action: 'accept', content: { message: 'Who?' } });
  expect(JSON.parse(await talk.call('ask', { method: 'sampling/createMessage' }))).toMatchObject({
    model: 'scripted',
  });
  expect(JSON.parse(await talk.call('ask', { method: 'roots/list' }))).toMatchObject({ code: -32601 });
  talk.close();
  await server.instance.close();
});

it('takes over what the entry says about limits, policies and loading', async () => {
  using upstream = byHandServer();
  const server = proxyMcpServer({ ...upstream.config, timeout: 5000, alwaysLoad: true });
  expect(server.timeout).toBe(5000);
  const wire = await connect(server);
  const { tools } = await wire.request<{ tools: object[] }>('tools/list');
  for (const tool of tools) expect(tool).toMatchObject({ _meta: { 'anthropic/alwaysLoad': true } });
  await server.instance.close();
  const policies = [{ name: 'echo', permission_policy: 'always_allow' as const }];
  expect(proxyMcpServer({ type: 'http', url: 'http://localhost/', tools: policies }).tools).toEqual(policies);
});
