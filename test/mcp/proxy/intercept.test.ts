/** `intercept`: one hook in which to filter, rename, cache, log, refuse and answer. */
import { afterEach, expect, it } from 'vitest';
import {
  type ListToolsResult,
  type McpIntercept,
  type McpRequest,
  type ProxyMcpServerConfig,
  proxyMcpServer,
} from '../../../src/index.js';
import { type ByHandServer, byHandServer } from '../../support/by-hand-server.js';
import { failOnTrouble } from '../../support/fake-cli.js';
import { McpWire } from '../../support/mcp-wire.js';
import { waitUntil } from '../../support/real-cli.js';

failOnTrouble();

let upstream: ByHandServer;
let server: ProxyMcpServerConfig;
afterEach(async () => {
  await server.instance.close();
  upstream[Symbol.dispose]();
});

async function through(intercept: McpIntercept): Promise<McpWire> {
  upstream = byHandServer();
  server = proxyMcpServer(upstream.config, { name: 'wrapped', intercept });
  const wire = await McpWire.to(server.instance);
  const clientInfo = { name: 'test', version: '1.0.0' };
  await wire.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  wire.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return wire;
}

it('filters', async () => {
  const wire = await through(async (request, next) => {
    const result = await next(request);
    if (request.method !== 'tools/list') return result;
    return { ...result, tools: (result as ListToolsResult).tools.filter(({ name }) => name !== 'die') };
  });
  const { tools } = await wire.request<ListToolsResult>('tools/list');
  const names = tools.map(({ name }) => name);
  expect(names).toContain('echo');
  expect(names).not.toContain('die');
});

it('renames', async () => {
  const wire = await through(async (request, next) => {
    if (request.method === 'tools/call' && request.params?.name === 'say_it') {
      return next({ ...request, params: { ...request.params, name: 'echo' } });
    }
    const result = await next(request);
    if (request.method !== 'tools/list') return result;
    const rename = (name: string) => (name === 'echo' ? 'say_it' : name);
    const tools = (result as ListToolsResult).tools.map((tool) => ({ ...tool, name: rename(tool.name) }));
    return { ...result, tools };
  });
  const { tools } = await wire.request<ListToolsResult>('tools/list');
  expect(tools.map(({ name }) => name)).toContain('say_it');
  expect(await wire.call('say_it', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
});

it('caches: a call that is known does not reach the server', async () => {
  const known = new Map<string, Promise<Record<string, unknown>>>();
  const wire = await through((request, next) => {
    const key = JSON.stringify([request.method, request.params?.name, request.params?.arguments]);
    const result = known.get(key) ?? next(request);
    if (request.method === 'tools/call') known.set(key, result);
    return result;
  });
  for (let count = 0; count < 3; count += 1) {
    expect(await wire.call('echo', { text: 'once' })).toMatchObject({ content: [{ text: 'once' }] });
  }
  expect(upstream.events('call')).toEqual(['echo']);
});

it('sees every request, the handshake too, and keeps reports apart', async () => {
  const seen: McpRequest[] = [];
  const wire = await through((request, next) => {
    seen.push(request);
    return next(request);
  });
  await wire.call('report', { text: 'half' }, { progressToken: 'mine' });
  await wire.request('ping');
  expect(seen.map(({ method }) => method)).toEqual(['initialize', 'tools/call', 'ping']);
  expect(seen[1]?.params).toMatchObject({ name: 'report', _meta: { progressToken: 'mine' } });
  expect(seen[2]).toEqual({ method: 'ping' });
  expect(wire.notifications[0]?.params).toMatchObject({ progressToken: 'mine', message: 'half' });
});

it('answers without the server, which is then not even started', async () => {
  upstream = byHandServer();
  server = proxyMcpServer(upstream.config, { intercept: ({ method }) => ({ answered: method }) });
  const wire = await McpWire.to(server.instance);
  expect(await wire.request('tools/list')).toEqual({ answered: 'tools/list' });
  expect(upstream.journal()).toEqual([]);
});

it('tries again, or asks something else', async () => {
  const wire = await through(async (request, next) => {
    if (request.method !== 'tools/call') return next(request);
    const first = await next(request).catch(({ code, data }) => ({ code, data }));
    return {
      first,
      second: await next({ method: 'tools/call', params: { name: 'echo', arguments: { text: 'b' } } }),
    };
  });
  expect(await wire.request('tools/call', { name: 'none' })).toEqual({
    first: { code: -32602, data: { name: 'none' } },
    second: { content: [{ type: 'text', text: 'b' }] },
  });
});

it('refuses: what it throws is the failure of the request', async () => {
  const wire = await through(({ method }, next) => {
    if (method === 'tools/call' || method === 'prompts/list') throw new Error(`No ${method} today`);
    return next({ method });
  });
  expect(await wire.call('echo')).toEqual({
    content: [{ type: 'text', text: 'No tools/call today' }],
    isError: true,
  });
  expect(await wire.fault('prompts/list')).toEqual({ code: -32603, message: 'No prompts/list today' });
});

it('hears of a cancellation, and so does the server', async () => {
  let reason: unknown;
  const wire = await through(async (request, next, { signal }) => {
    signal.addEventListener('abort', () => {
      reason = signal.reason;
    });
    return next(request);
  });
  void wire.exchange('tools/call', { name: 'wait' }, 9);
  await waitUntil(() => upstream.events('call').length === 1, { what: 'the call' });
  wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9, reason: 'enough' } });
  expect(String(reason)).toMatch(/enough/);
  await waitUntil(() => upstream.events('notifications/cancelled').length === 1, {
    what: 'the cancellation',
  });
});

it('stays in place when the server was started again', async () => {
  const wire = await through(async (request, next) => {
    const result = await next(request);
    return request.method === 'tools/call' ? { ...result, wrapped: true } : result;
  });
  await wire.call('die', { words: 'bye' });
  expect(await wire.call('echo', { text: 'hi' })).toEqual({
    content: [{ type: 'text', text: 'hi' }],
    wrapped: true,
  });
});
