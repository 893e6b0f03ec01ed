/** `serveHttp()`: the same definition, served to MCP clients of both majors of the library over the network (pain 56, wish 15). */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectSocket } from 'node:net';
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createSdkMcpServer,
  type HttpServing,
  OptionError,
  proxyMcpServer,
  serveHttp,
  tool,
} from '../../../src/index.js';
import { byHandServer } from '../../support/by-hand-server.js';
import { failOnTrouble } from '../../support/fake-cli.js';
import { holdTimers } from '../../support/held-timers.js';
import { waitUntil } from '../../support/real-cli.js';

failOnTrouble();

/** The signals of running calls of `wait`, by the name that the caller gave. */
function definition(waiting = new Map<string, AbortSignal>()) {
  const add = tool('add', 'Adds', { a: z.number(), b: z.number() }, ({ a, b }) => a + b);
  const wait = tool('wait', 'Waits', { name: z.string() }, ({ name }, { signal, reportProgress }) => {
    waiting.set(name, signal);
    reportProgress(1, 2, name);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted')));
  });
  const ask = tool('ask', 'Asks', {}, (_args, { elicit }) =>
    elicit({ message: 'Who?', requestedSchema: schema }),
  );
  const who = tool('session', 'Names the session', {}, (_args, { sessionId }) => String(sessionId));
  return createSdkMcpServer({ name: 'served', tools: [add, wait, ask, who] });
}
const schema = { type: 'object', properties: { name: { type: 'string' } } };

async function clientOf(
  { url }: HttpServing,
  name = 'nobody',
): Promise<{ client: Client; transport: Transport }> {
  const client = new Client({ name: 'v1', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name } }));
  const transport = new StreamableHTTPClientTransport(new URL(url)) as Transport;
  await client.connect(transport);
  return { client, transport };
}

const text = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;

const handshake = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const accept = 'application/json, text/event-stream';

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** With a `Host` of one's own, which `fetch` does not allow. */
function postAs(
  host: string,
  { port }: HttpServing,
  origin?: string,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept, host, ...(origin ? { origin } : {}) };
    const request = httpRequest(
      { host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          body += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      },
    );
    request.on('error', reject).end(JSON.stringify(handshake));
  });
}

describe('clients', () => {
  it('of major 1 list, call and are asked', async () => {
    await using serving = await serveHttp(definition());
    expect(serving.url).toBe(`http://127.0.0.1:${serving.port}/mcp`);
    const { client } = await clientOf(serving, 'Ada');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'add',
      'wait',
      'ask',
      'session',
    ]);
    expect(text(await client.callTool({ name: 'add', arguments: { a: 15, b: 27 } }))).toBe('42');
    expect(JSON.parse(text(await client.callTool({ name: 'ask' })) ?? '')).toMatchObject({
      content: { name: 'Ada' },
    });
    await client.close();
  });

  it('of major 2 do so too, whether or not they first look for a newer protocol', async () => {
    await using serving = await serveHttp(definition().instance);
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new ClientV2(
        { name: 'v2', version: '1.0.0' },
        { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
      );
      client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
      await client.connect(new TransportV2(new URL(serving.url)));
      expect(text(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }))).toBe('3');
      expect(JSON.parse(text(await client.callTool({ name: 'ask' })) ?? '')).toEqual({ action: 'decline' });
      await client.close();
    }
  });

  it('have sessions of their own, at the same time, and hear of changed tools', async () => {
    const server = definition();
    await using serving = await serveHttp(server);
    const people = await Promise.all(['Ada', 'Bob', 'Eve'].map((name) => clientOf(serving, name)));
    let changes = 0;
    for (const { client } of people) {
      client.fallbackNotificationHandler = async () => {
        changes += 1;
      };
    }
    const sessions = await Promise.all(
      people.map(({ client }) => client.callTool({ name: 'session' }).then(text)),
    );
    expect(new Set(sessions).size).toBe(3);
    expect(sessions[0]).toMatch(/^[0-9a-f-]{36}$/);
    const names = await Promise.all(people.map(({ client }) => client.callTool({ name: 'ask' }).then(text)));
    expect(names.map((answer) => JSON.parse(answer ?? '').content.name)).toEqual(['Ada', 'Bob', 'Eve']);
    server.removeTool('add');
    await waitUntil(() => changes === 3, { what: 'the news in all sessions' });
    await Promise.all(people.map(({ client }) => client.close()));
  });

  it('end their session with DELETE, which aborts what runs in it and nothing else', async () => {
    const waiting = new Map<string, AbortSignal>();
    await using serving = await serveHttp(definition(waiting));
    const [leaving, staying] = [await clientOf(serving), await clientOf(serving)];
    for (const [name, { client }] of [
      ['leaving', leaving],
      ['staying', staying],
    ] as const) {
      client.callTool({ name: 'wait', arguments: { name } }).catch(() => {});
    }
    await waitUntil(() => waiting.size === 2, { what: 'both calls' });
    await (leaving.transport as StreamableHTTPClientTransport).terminateSession();
    expect(waiting.get('leaving')?.aborted).toBe(true);
    expect(waiting.get('staying')?.aborted).toBe(false);
    await Promise.all([leaving.client.close(), staying.client.close()]);
  });
});

describe('host and origin (R70)', () => {
  it('are checked: only names of this machine, whatever the port', async () => {
    await using serving = await serveHttp(definition());
    const status = async (host: string, origin?: string) => (await postAs(host, serving, origin)).status;
    for (const host of ['localhost', 'localhost:1', '127.0.0.1', '[::1]:80'])
      expect(await status(host)).toBe(200);
    for (const host of ['evil.example.com', '127.0.0.1.evil.example.com'])
      expect(await status(host)).toBe(403);
    expect(await status('localhost', 'http://localhost:5173')).toBe(200);
    for (const origin of ['https://evil.example.com', 'null', 'http://localhost.evil.example.com']) {
      expect(await status('localhost', origin)).toBe(403);
    }
    const refusal = await postAs('evil.example.com', serving);
    expect(JSON.parse(refusal.body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } });
  });

  it('may be others when the caller says so', async () => {
    await using serving = await serveHttp(definition(), {
      allowedHosts: ['tools.example.com'],
      allowedOrigins: ['https://app.example.com:8443'],
    });
    const status = async (host: string, origin?: string) => (await postAs(host, serving, origin)).status;
    expect(await status('tools.example.com')).toBe(200);
    expect(await status('tools.example.com', 'https://app.example.com:8443')).toBe(200);
    expect(await status('tools.example.com', 'https://tools.example.com')).toBe(403);
    expect(await status('localhost')).toBe(403);
  });

  it('must be said for a server that other machines can reach', async () => {
    for (const host of ['0.0.0.0', '::', '']) {
      await expect(serveHttp(definition(), { host })).rejects.toThrow(/allowedHosts/);
    }
    await using serving = await serveHttp(definition(), {
      host: '0.0.0.0',
      allowedHosts: ['tools.example.com'],
    });
    expect((await postAs('tools.example.com', serving)).status).toBe(200);
  });
});

describe('what is no MCP', () => {
  it('is answered with a status and a JSON-RPC error', async () => {
    await using serving = await serveHttp(definition());
    const { url } = serving;
    const outcome = async (sent: Promise<Response>) => {
      const response = await sent;
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      const { error } = (await response.json()) as { error: { code: number } };
      return [response.status, error.code];
    };
    expect(await outcome(post(url, '{"jsonrpc": '))).toEqual([400, -32700]);
    expect(await outcome(post(url, { hello: 'world' }))).toEqual([400, -32700]);
    expect(await outcome(post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }))).toEqual([400, -32000]);
    expect(await outcome(post(url, handshake, { accept: 'application/json' }))).toEqual([406, -32000]);
    expect(await outcome(post(url, handshake, { 'content-type': 'text/plain' }))).toEqual([415, -32000]);
    expect(await outcome(post(url, handshake, { 'mcp-session-id': 'nobody' }))).toEqual([404, -32001]);
    expect(await outcome(post(`${url}/more`, handshake))).toEqual([404, -32000]);
    expect(await outcome(fetch(url, { headers: { accept: 'text/event-stream' } }))).toEqual([400, -32000]);
    expect(await outcome(fetch(url, { method: 'PUT', body: '{}' }))).toEqual([405, -32000]);
    expect(await outcome(fetch(url, { method: 'DELETE' }))).toEqual([400, -32000]);
  });

  it('is not read when it is too long, whether it says so or not', async () => {
    await using serving = await serveHttp(definition(), { maxBodyBytes: 1000 });
    const long = JSON.stringify({ ...handshake, padding: 'x'.repeat(2000) });
    const said = await post(serving.url, long);
    expect([said.status, (await said.json()) as object]).toMatchObject([
      413,
      { error: { message: 'The request body is larger than 1000 bytes.' } },
    ]);
    // Of a body without a length the answer comes before the end.
    const headers = { 'content-type': 'application/json', accept, host: 'localhost' };
    const request = httpRequest(serving.url, { method: 'POST', headers });
    request.write(long);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect([response.statusCode, response.headers.connection]).toEqual([413, 'close']);
    request.destroy();
    expect((await post(serving.url, handshake)).status).toBe(200);
  });
});

/** A session by hand: its id, and the text of the answer. */
async function open(url: string): Promise<string> {
  const response = await post(url, handshake);
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

describe('sessions', () => {
  it('that nobody uses are ended after a while', async () => {
    const server = definition();
    const ended = new Set<number>();
    let count = 0;
    const { connect } = server.instance;
    server.instance.connect = async (transport) => {
      const own = ++count;
      await connect.call(server.instance, transport);
      const { onclose } = transport;
      transport.onclose = () => {
        ended.add(own);
        onclose?.();
      };
    };
    using limits = holdTimers(2_345);
    await using serving = await serveHttp(server, { sessionIdleMs: 2_345 });
    const letIdleOnesExpire = async () => {
      await waitUntil(() => limits.count === 1, { what: 'one session that nobody uses' });
      limits.expire();
    };
    const statusOf = async (id: string) => (await post(serving.url, ping, { 'mcp-session-id': id })).status;
    const idle = await open(serving.url);
    const busy = await open(serving.url);
    // An open event stream is a use.
    const stream = await fetch(serving.url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': busy },
    });
    await letIdleOnesExpire();
    await waitUntil(() => ended.has(1), { what: 'the end of the idle session' });
    expect(await statusOf(idle)).toBe(404);
    expect(await statusOf(busy)).toBe(200);
    await open(serving.url);
    await letIdleOnesExpire();
    await waitUntil(() => ended.has(3), { what: 'the end of another idle session' });
    expect(await statusOf(busy)).toBe(200);
    await stream.body?.cancel();
    await letIdleOnesExpire();
    await waitUntil(() => ended.has(2), { what: 'the end of the one that was in use' });
  });

  it('make room for new ones, the one that was not used for the longest time first', async () => {
    await using serving = await serveHttp(definition(), { maxSessions: 2 });
    const [first, second] = [await open(serving.url), await open(serving.url)];
    const alive = async (id: string) =>
      (await post(serving.url, ping, { 'mcp-session-id': id })).status === 200;
    expect(await alive(first)).toBe(true);
    const third = await open(serving.url);
    expect([await alive(first), await alive(second), await alive(third)]).toEqual([true, false, true]);
  });

  it('in use do not: the next client is told to come back later', async () => {
    await using serving = await serveHttp(definition(), { maxSessions: 1 });
    const { client } = await clientOf(serving);
    // The library opens its event stream on its own time.
    await waitUntil(async () => (await post(serving.url, handshake)).status === 503, {
      what: 'a full house',
    });
    expect(await client.ping()).toEqual({});
    await client.close();
  });

  it('survive a lost connection: the answer waits for the client (SEP-1699)', async () => {
    const waiting = new Map<string, AbortSignal>();
    let finish = (_answer: string): void => {};
    const slow = tool(
      'slow',
      'Answers later',
      {},
      () => new Promise<string>((resolve) => (finish = resolve)),
    );
    const server = definition(waiting);
    server.addTool(slow);
    await using serving = await serveHttp(server);
    const headers = { 'mcp-session-id': await open(serving.url), 'mcp-protocol-version': '2025-11-25' };
    const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'slow' } };
    const response = await post(serving.url, call, headers);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const { value: first = '' } = (await reader?.read()) ?? {};
    expect(first).toMatch(/^id: (\S+)\nretry: \d+\ndata: \n\n$/);
    await reader?.cancel();
    finish('patience');

    const [, lastId = ''] = /^id: (\S+)/.exec(first) ?? [];
    const resume = (id: string) =>
      fetch(serving.url, { headers: { accept: 'text/event-stream', 'last-event-id': id, ...headers } });
    const resumed = await resume(lastId);
    expect(await resumed.text()).toContain('"text":"patience"');
    // What is not kept any more is refused, not passed over in silence.
    expect((await resume('99')).status).toBe(400);
  });
});

it('a proxy: what belongs to a call comes on its own stream, before the answer', async () => {
  using upstream = byHandServer();
  const server = proxyMcpServer(upstream.config);
  await using serving = await serveHttp(server);
  const headers = { 'mcp-session-id': await open(serving.url) };
  const params = { name: 'report', arguments: { text: 'half' }, _meta: { progressToken: 'mine' } };
  // Nobody listens to the session's own stream.
  const response = await post(serving.url, { jsonrpc: '2.0', id: 3, method: 'tools/call', params }, headers);
  const messages = (await response.text()).match(/(?<=^data: )\{.*$/gm)?.map((line) => JSON.parse(line));
  expect(messages).toMatchObject([
    { method: 'notifications/progress', params: { progressToken: 'mine', message: 'half' } },
    { id: 3, result: { content: [{ text: 'reported' }] } },
  ]);

  const call = { jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'ask' } };
  const asking = await post(serving.url, call, headers);
  const reader = asking.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  while (!heard.includes('elicitation/create')) heard += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  await server.instance.close();
});

describe('close()', () => {
  it('ends all sessions, aborts what runs in them, and frees the port', async () => {
    const waiting = new Map<string, AbortSignal>();
    const serving = await serveHttp(definition(waiting));
    const { client } = await clientOf(serving);
    client.callTool({ name: 'wait', arguments: { name: 'open' } }).catch(() => {});
    await waitUntil(() => waiting.has('open'), { what: 'the call' });
    // A connection on which nothing was ever said must not hold it up.
    const silent = connectSocket(serving.port, '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    await Promise.all([serving.close(), serving.close()]);
    expect(waiting.get('open')?.aborted).toBe(true);
    await expect(fetch(serving.url)).rejects.toThrow();
    await using again = await serveHttp(definition(), { port: serving.port });
    expect(again.port).toBe(serving.port);
    await client.close();
  });

  it('leaves the definition as it was', async () => {
    const server = definition();
    for (let round = 0; round < 3; round += 1) {
      await using serving = await serveHttp(server);
      const { client } = await clientOf(serving);
      expect(text(await client.callTool({ name: 'add', arguments: { a: round, b: 1 } }))).toBe(
        String(round + 1),
      );
      await client.close();
    }
  });
});

it('says which port is taken', async () => {
  await using serving = await serveHttp(definition());
  const refusal = await serveHttp(definition(), { port: serving.port }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(OptionError);
  expect(String(refusal)).toMatch(new RegExp(`port ${serving.port} of 127\\.0\\.0\\.1: .*EADDRINUSE`));
});

it('refuses what it cannot serve, and where it cannot', async () => {
  await expect(serveHttp(definition(), { path: 'mcp' })).rejects.toThrow(
    /`path` must begin with "\/"; it is "mcp"/,
  );
  for (const wrong of [undefined, {}, { instance: { connect: async () => {}, close: async () => {} } }]) {
    await expect(serveHttp(wrong as never)).rejects.toThrow(/expected a value of createSdkMcpServer\(\)/);
  }
});
