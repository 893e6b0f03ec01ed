/** Servers over HTTP and over SSE behind `proxyMcpServer()`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createSdkMcpServer, proxyMcpServer, serveHttp, tool } from '../../../src/index.js';
import { failOnTrouble } from '../../support/fake-cli.js';
import { McpWire } from '../../support/mcp-wire.js';
import { waitUntil } from '../../support/real-cli.js';

failOnTrouble();

const program = fileURLToPath(new URL('../../fixtures/mcp/server.mjs', import.meta.url));

async function start(type: 'http' | 'sse'): Promise<AsyncDisposable & { url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [program, type], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    url,
    child,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exit;
    },
  };
}

const hello = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1.0.0' },
};

it.each(['http', 'sse'] as const)('calls tools over %s, with the headers of the config', async (type) => {
  await using upstream = await start(type);
  const server = proxyMcpServer({ type, url: upstream.url, headers: { 'x-token': 'open sesame' } });
  const wire = await McpWire.to(server.instance);
  expect(await wire.request('initialize', hello)).toMatchObject({ serverInfo: { name: 'fixture' } });
  wire.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  expect(await wire.call('echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'echo: hi' }] });
  expect(await wire.call('header', { name: 'x-token' })).toMatchObject({
    content: [{ text: 'open sesame' }],
  });
  await server.instance.close();
});

it('an SSE server that goes away fails what is open; the next call says that it is not there', async () => {
  await using upstream = await start('sse');
  const server = proxyMcpServer({ type: 'sse', url: upstream.url }, { name: 'stream' });
  const wire = await McpWire.to(server.instance);
  await wire.request('initialize', { ...hello, capabilities: { elicitation: {} } });
  const open = wire.call('ask');
  await waitUntil(() => wire.requests.length === 1, { what: 'the question' });
  upstream.child.kill('SIGKILL');
  expect(await open).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^The MCP server "stream" \(http:.*\/sse\) was lost/) }],
  });
  expect(await wire.fault('tools/list')).toMatchObject({
    message: expect.stringMatching(/"stream" .* could not be reached: /),
  });
  await server.instance.close();
});

it('ends its session with the server when the last conversation has left', async () => {
  let ended = (): void => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const waits = tool('wait', 'Waits for the end', {}, (_args, { signal, reportProgress }) => {
    signal.addEventListener('abort', ended);
    reportProgress(1);
    return new Promise(() => {});
  });
  await using serving = await serveHttp(createSdkMcpServer({ name: 'far', tools: [waits] }));
  const server = proxyMcpServer({ type: 'http', url: serving.url });
  const wire = await McpWire.to(server.instance);
  await wire.request('initialize', hello);
  void wire.call('wait', {}, { progressToken: 1 });
  await waitUntil(() => wire.notifications.length > 0, { what: 'the call' });
  await wire.transport.close();
  await end;
  await server.instance.close();
});

/** Everything that is fetched while `run` runs; `before` may hold a message up. */
async function watchFetch(
  run: () => Promise<void>,
  before: (method: string) => Promise<unknown> = async () => {},
): Promise<{ event: string; version: string | null }[]> {
  const seen: { event: string; version: string | null }[] = [];
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init = {}) => {
    const version = new Headers(init.headers).get('mcp-protocol-version');
    const method = typeof init.body === 'string' ? JSON.parse(init.body).method : String(init.method);
    seen.push({ event: `${method} begins`, version });
    await before(method);
    const response = await fetch(input, init);
    seen.push({ event: `${method} is answered`, version });
    return response;
  };
  try {
    await run();
  } finally {
    globalThis.fetch = fetch;
  }
  return seen;
}

it('tells in every request over HTTP the version that was agreed upon', async () => {
  const seen = await watchFetch(async () => {
    await using serving = await serveHttp(createSdkMcpServer({ name: 'far' }));
    const server = proxyMcpServer({ type: 'http', url: serving.url });
    const wire = await McpWire.to(server.instance);
    await wire.request('initialize', hello);
    await wire.request('tools/list');
    await server.instance.close();
  });
  const versions = seen.map(({ version }) => version);
  expect(versions.slice(0, 2)).toEqual([null, null]);
  expect(new Set(versions.slice(2))).toEqual(new Set(['2025-06-18']));
});

it('sends nothing over HTTP before the server knows that the handshake is done', async () => {
  const seen = await watchFetch(
    async () => {
      await using serving = await serveHttp(createSdkMcpServer({ name: 'far' }));
      const server = proxyMcpServer({ type: 'http', url: serving.url });
      const wire = await McpWire.to(server.instance);
      await wire.request('initialize', hello);
      wire.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
      await wire.request('tools/list');
      await server.instance.close();
    },
    (method) => wait(method === 'notifications/initialized' ? 50 : 0),
  );
  expect(seen.slice(2, 4).map(({ event }) => event)).toEqual([
    'notifications/initialized begins',
    'notifications/initialized is answered',
  ]);
});
