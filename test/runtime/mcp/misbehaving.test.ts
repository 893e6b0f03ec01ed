/** Remote servers that misbehave (issue 5; pains 13, 34): what was asked is done once or not at all, and somebody hears of it. */
import { describe, expect, it } from 'vitest';
import { externalSource } from '../../../src/mcp/client/external-source.js';
import type { McpServerConfigForProcessTransport } from '../../../src/mcp/types.js';
import { holdTimers } from '../../support/held-timers.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { UnrulyServer } from '../../support/unruly-server.js';
import { openHub } from './support.js';

type Kind = 'http' | 'sse';
const configOf = (server: UnrulyServer, type: Kind): McpServerConfigForProcessTransport => ({
  type,
  url: type === 'http' ? server.url : server.sseUrl,
});

describe.each<Kind>(['http', 'sse'])('a server over %s', (kind) => {
  it('that nobody serves has failed at once, with the reason', async () => {
    await using server = await UnrulyServer.start();
    await server.kill();
    await using hub = openHub({ s: configOf(server, kind) });
    await hub.hub.settled();
    expect(hub.status()).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('ECONNREFUSED'),
      attempts: 1,
      transport: kind,
    });
    await expect(hub.call('do')).rejects.toThrow(/"s" is not connected \(failed\).*ECONNREFUSED/);
  });

  it('that hangs has failed after the time limit, and holds up nobody else (pain 13)', async () => {
    await using hanging = await UnrulyServer.start({ hangs: true });
    await using well = await UnrulyServer.start();
    const servers = { hanging: configOf(hanging, kind), well: configOf(well, kind) };
    using limits = holdTimers(4_321);
    await using hub = openHub(servers, { env: { MCP_TIMEOUT: '4321' } });
    expect((await hub.until('connected', 'well')).tools).toMatchObject([{ name: 'do' }]);
    expect(hub.status('hanging').status).toBe('pending');
    expect(await hub.text('do', { id: 'a' }, 'well')).toBe('a');
    limits.expire();
    await hub.hub.settled();
    expect(hub.status('hanging')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('did not answer within 4321 ms'),
    });
  });

  it('that is killed in the middle of a call: the call fails and is not repeated, the next one is carried out', async () => {
    await using server = await UnrulyServer.start();
    await using hub = openHub({ s: configOf(server, kind) });
    await hub.until('connected');
    const call = hub.call('do', { id: 'lost', ms: 60_000 });
    const failed = expect(call).rejects.toThrow(/may have had an effect.*not repeated/);
    await expect.poll(() => server.done).toEqual(['lost']);
    await server.restart();
    await failed;
    // While it is connected to again its tools stay, and a call waits.
    expect(hub.hub.tools()).toHaveLength(1);
    expect(await hub.text('do', { id: 'next' })).toBe('next');
    expect(server.done).toEqual(['lost', 'next']);
    expect(hub.status()).toMatchObject({ status: 'connected' });
    expect(server.handshakes).toBe(2);
  });

  it('that stays away is tried again and again, and is back when it is back', async () => {
    await using server = await UnrulyServer.start();
    await using hub = openHub({ s: configOf(server, kind) });
    await hub.until('connected');
    await server.kill();
    await expect.poll(() => hub.status().attempts).toBeGreaterThan(2);
    expect(hub.status()).toMatchObject({
      status: 'pending',
      error: expect.stringContaining('could not be reached'),
    });
    await server.open();
    await hub.until('connected');
    expect(await hub.text('do', { id: 'a' })).toBe('a');
  });

  it('that stays away for too long has failed, its tools are gone, and somebody may still ask for it', async () => {
    await using server = await UnrulyServer.start();
    await using hub = openHub(
      { s: configOf(server, kind) },
      { reconnect: { firstMs: 10, maxMs: 20, attempts: 3 } },
    );
    await hub.until('connected');
    await server.kill();
    const { error, attempts } = await hub.until('failed');
    expect(error).toContain('ECONNREFUSED');
    expect(attempts).toBe(3);
    expect(hub.hub.tools()).toEqual([]);
    await expect(hub.hub.reconnect('s')).rejects.toThrow('ECONNREFUSED');
    await server.open();
    await hub.hub.reconnect('s');
    expect(await hub.text('do', { id: 'a' })).toBe('a');
  });

  it('that is slow is waited for, and gives answers of any size', async () => {
    await using server = await UnrulyServer.start({ slowMs: 100 });
    await using hub = openHub({ s: configOf(server, kind) });
    const size = 8 * 1024 * 1024;
    expect(await hub.text('do', { id: 'big', size })).toHaveLength(size + 3);
    const together = Array.from({ length: 20 }, (_, index) => hub.text('do', { id: `call ${index}` }));
    expect(await Promise.all(together)).toEqual(together.map((_, index) => `call ${index}`));
  });

  it('that takes too long for one call: the call ends, by the limits of the call, the tool, the server, the environment', async () => {
    await using server = await UnrulyServer.start();
    const config = configOf(server, kind) as object;
    const servers = {
      s: { ...config, tools: [{ name: 'do', timeout: 150 }], timeout: 60_000 },
      t: { ...config, timeout: 160 },
      u: config,
    } as unknown as Record<string, McpServerConfigForProcessTransport>;
    await using hub = openHub(servers, { env: { MCP_TOOL_TIMEOUT: '170' } });
    await hub.hub.settled();
    const slow = { id: 'slow', ms: 10_000 };
    await expect(hub.call('do', slow)).rejects.toThrow('timed out after 0.15s');
    await expect(hub.call('do', slow, { server: 't' })).rejects.toThrow('timed out after 0.16s');
    await expect(hub.call('do', slow, { server: 'u' })).rejects.toThrow('timed out after 0.17s');
    await expect(hub.call('do', slow, { timeoutMs: 90 })).rejects.toThrow('timed out after 0.09s');
    // And all are as well as before.
    const well = await hub.call('do', { id: 'a' }, { timeoutMs: PATIENCE_MS });
    expect(well).toMatchObject({ content: [{ text: 'a' }] });
    expect(server.seen.filter(({ method }) => method === 'notifications/cancelled')).toHaveLength(4);
  });
});

describe('a server over streamable HTTP', () => {
  it.each([404, 400])(
    'that forgets the session (%s) is connected to again, and what it refused is done once',
    async (status) => {
      await using server = await UnrulyServer.start({ unknownSessionStatus: status });
      await using hub = openHub({ s: configOf(server, 'http') });
      await hub.until('connected');
      server.forgetSessions();
      const calls = ['a', 'b', 'c'].map((id) => hub.text('do', { id }));
      expect(await Promise.all(calls)).toEqual(['a', 'b', 'c']);
      expect([...server.done].sort()).toEqual(['a', 'b', 'c']);
      expect(server.handshakes).toBe(2);
      expect(hub.status()).toMatchObject({ status: 'connected' });
    },
  );

  it('that answers a burst of requests with 404 loses no call', async () => {
    await using server = await UnrulyServer.start();
    await using hub = openHub({ s: configOf(server, 'http') });
    await hub.until('connected');
    server.behaviour.notFound = 4;
    expect(await hub.text('do', { id: 'a' })).toBe('a');
    expect(server.done).toEqual(['a']);
  });

  it.each(['before', 'after'] as const)(
    'that cuts the socket of a call %s carrying it out: that call fails, no other',
    async (drops) => {
      await using server = await UnrulyServer.start();
      await using hub = openHub({ s: configOf(server, 'http') });
      await hub.until('connected');
      const other = hub.text('do', { id: 'other', ms: 300 });
      await expect.poll(() => server.done).toEqual(['other']);
      server.behave({ drops });
      await expect(hub.call('do', { id: 'cut' })).rejects.toThrow(/may have had an effect.*not repeated/);
      server.behave({});
      expect(await other).toBe('other');
      expect(server.done).toEqual(drops === 'after' ? ['other', 'cut'] : ['other']);
      expect(await hub.text('do', { id: 'next' })).toBe('next');
      expect(server.handshakes).toBe(1);
    },
  );

  it('that dies while nobody calls is seen to be gone (pain 34)', async () => {
    await using server = await UnrulyServer.start();
    await using hub = openHub({ s: configOf(server, 'http') });
    await hub.until('connected');
    await expect.poll(() => server.seen.map(({ method }) => method)).toContain('GET');
    await server.kill();
    await hub.until('pending');
  });

  it('that has other tools now is listed again', async () => {
    await using server = await UnrulyServer.start();
    await using hub = openHub({ s: configOf(server, 'http') });
    await hub.until('connected');
    await expect.poll(() => server.seen.map(({ method }) => method)).toContain('GET');
    server.tools = [...server.tools, { name: 'more', inputSchema: { type: 'object' } }];
    server.tell('notifications/tools/list_changed');
    await expect.poll(() => hub.status().tools?.map(({ name }) => name)).toEqual(['do', 'more']);
  });

  it('ends its session when it is switched off, and has a new one when it is switched on', async () => {
    await using server = await UnrulyServer.start({ answersInStream: false });
    await using hub = openHub({ s: configOf(server, 'http') });
    await hub.until('connected');
    expect(server.sessions).toBe(1);
    await hub.hub.toggle('s', false);
    expect(server.sessions).toBe(0);
    expect(hub.status()).toMatchObject({ status: 'disabled' });
    await expect(hub.call('do', { id: 'off' })).rejects.toThrow('is not connected (disabled)');
    await hub.hub.toggle('s', true);
    expect(await hub.text('do', { id: 'on' })).toBe('on');
    expect(server.done).toEqual(['on']);
  });

  it('is replaced when its configuration changes, and stays when it does not', async () => {
    await using server = await UnrulyServer.start();
    await using hub = openHub({ s: configOf(server, 'http') });
    await hub.until('connected');
    const same = configOf(server, 'http');
    expect(await hub.hub.set({ s: same })).toEqual({ added: [], removed: [], errors: {} });
    expect(server.handshakes).toBe(1);
    const other = { ...same, headers: { 'x-other': 'header' } } as McpServerConfigForProcessTransport;
    expect(await hub.hub.set({ s: other, bad: { type: 'http', url: 'no url' } })).toMatchObject({
      added: ['s'],
      removed: [],
      errors: { bad: expect.stringContaining('has no valid `url`') },
    });
    await hub.until('connected');
    expect(server.handshakes).toBe(2);
  });

  it("may take hours for a call: the limits of `fetch`, five minutes, do not hold, and who carries requests out is the program's choice", async () => {
    await using server = await UnrulyServer.start();
    await using hub = openHub({ s: configOf(server, 'http') });
    await hub.until('connected');
    const name = Symbol.for('undici.globalDispatcher.1');
    const place = globalThis as unknown as Record<
      symbol,
      { dispatch(options: object, handler: unknown): boolean }
    >;
    const usual = place[name] as (typeof place)[symbol];
    const limits: object[] = [];
    place[name] = {
      dispatch: (options, handler) => {
        limits.push(options);
        return usual.dispatch(options, handler);
      },
    };
    try {
      expect(await hub.text('do', { id: 'a' })).toBe('a');
    } finally {
      place[name] = usual;
    }
    expect(limits).toMatchObject([{ method: 'POST', headersTimeout: 0, bodyTimeout: 0 }]);
  });
});

it('a list of tools whose pages come slowly is cut off by the time limit of the connection', async () => {
  let pages = 0;
  const results: Record<string, () => object> = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    }),
    'tools/list': () => ({ tools: [], nextCursor: String(pages++) }),
  };
  await using hub = openHub(
    { s: { type: 'sdk', name: 's' } },
    {
      connectTimeoutMs: 1_000,
      answer: async (_, fields) => {
        // Too slow to get to the bound on pages first.
        await new Promise((resolve) => setTimeout(resolve, 10));
        const { id, method } = fields.message as { id: number; method: string };
        return { mcp_response: { jsonrpc: '2.0', id, result: results[method]?.() ?? {} } };
      },
    },
  );
  await hub.hub.settled();
  expect(hub.status()).toMatchObject({
    status: 'failed',
    error: 'The MCP server "s" did not answer within 1000 ms.',
  });
  expect(pages).toBeGreaterThan(1);
});

it('a request that was repeated over a new connection counts as answered', async () => {
  await using server = await UnrulyServer.start();
  await using hub = openHub({});
  let answered = 0;
  const surroundings = {
    env: {},
    cwd: process.cwd(),
    capabilities: {},
    serve: async () => ({}),
    admission: undefined,
  };
  hub.hub.add({
    ...externalSource('s', { type: 'http', url: server.url }, surroundings),
    answered: () => {
      answered += 1;
    },
  });
  await hub.until('connected');
  server.behaviour.notFound = 1;
  expect(await hub.text('do', { id: 'a' })).toBe('a');
  expect(server.handshakes).toBe(2);
  expect(answered).toBe(1);
});
