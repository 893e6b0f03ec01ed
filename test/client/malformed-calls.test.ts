/** A `tools/call` that is none is refused with JSON-RPC's own code, by every kind of in-process server (R6). */
import { afterAll, describe, expect, it } from 'vitest';
import { InProcessServers } from '../../src/client/mcp/in-process-servers.js';
import { QueryHost } from '../../src/client/mcp/query-host.js';
import {
  createSdkMcpServer,
  type McpServerInstance,
  proxyMcpServer,
  serveHttp,
  tool,
} from '../../src/index.js';
import { Cancellation } from '../../src/protocol/base/cancellation.js';
import { byHandServer } from '../support/by-hand-server.js';
import { failOnTrouble } from '../support/fake-cli.js';
import { foreignServers } from '../support/foreign-servers.js';

failOnTrouble();

const echo = tool('echo', 'Echoes', {}, () => 'echoed');
const own = () => createSdkMcpServer({ name: 'own', tools: [echo] });
const upstream = byHandServer();
afterAll(() => upstream[Symbol.dispose]());
const KINDS: readonly (readonly [name: string, instance: () => McpServerInstance])[] = [
  ['createSdkMcpServer()', () => own().instance],
  ['proxyMcpServer()', () => proxyMcpServer(upstream.config).instance],
  ...foreignServers.map(([name, make]) => [name, () => make().instance] as const),
];

const MALFORMED: readonly [name: string, params: unknown][] = [
  ['no params', undefined],
  ['params that are a text', 'text'],
  ['params that are a list', []],
  ['no name', { arguments: {} }],
  ['a name that is a number', { name: 7 }],
  ['a name that is an object', { name: { toString: 1 } }],
  ['arguments that are a text', { name: 'echo', arguments: 'text' }],
  ['arguments that are a list', { name: 'echo', arguments: [] }],
  ['`_meta` that is a list', { name: 'echo', arguments: {}, _meta: [] }],
];

describe.each(KINDS)('%s', (_, make) => {
  it.each(MALFORMED)('refuses a call with %s, and no middleware hears of it', async (_name, params) => {
    const heard: unknown[] = [];
    const servers = new InProcessServers({ s: { type: 'sdk', name: 's', instance: make() } }, [
      (call, next) => {
        heard.push(call);
        return next(call.input);
      },
    ]);
    const agent = { sessionId: undefined, control: async () => ({}) } as never;
    servers.open((name) => new QueryHost(name, agent, {}, () => {}));
    const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params } as never;
    const { mcp_response } = await servers.receive('s', call, new Cancellation());
    expect(mcp_response).toMatchObject({ id: 7, error: { code: -32602, message: expect.any(String) } });
    expect(heard).toEqual([]);
    servers.close();
  });
});

it.each(MALFORMED.slice(3))('a served server refuses a call with %s over HTTP', async (_, params) => {
  await using serving = await serveHttp(own());
  const post = (body: object, headers: Record<string, string> = {}) =>
    fetch(serving.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    });
  const clientInfo = { name: 'raw', version: '1' };
  const hello = {
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  };
  const opened = await post(hello);
  await opened.text();
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const answer = await (await post({ method: 'tools/call', params }, session)).text();
  // The library itself refuses what is not JSON-RPC at all.
  expect(answer).toMatch(/"code":-32602|"code":-32700/);
});
