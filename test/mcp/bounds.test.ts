/** What a server sends is bounded, whoever asks it: the hub, a proxy, the host (R69, pain 9). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type McpServerConfig, proxyMcpServer, query, type SDKUserMessage } from '../../src/index.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { listResources } from '../../src/runtime/mcp/listings.js';
import { openHub } from '../runtime/mcp/support.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { collect } from '../support/real-cli.js';

const program = fileURLToPath(new URL('../fixtures/mcp/endless.mjs', import.meta.url));
const endless = (mode: string, env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [program, mode],
  env,
});

/** Each names the server, the bound and what to do. */
const REASONS = {
  pages: /"s" .*tools\/list has more than 1000 pages.*larger pages/,
  items: /"s" .*tools\/list has more than 100000 entries.*list less/,
  bytes: /"s" .*tools\/list has more than 64 MB.*list less/,
  name: /"s" .*tools\/list has a name of 60000 characters, more than 1024.*shorter name/,
  unnamed: /"s" .*tools\/list has an entry without a name/,
  list: /"s" .*tools\/list has no list of `tools`/,
  line: /"s" .*sent more than 128 MB without the end of a message.*less at a time/,
};

describe('the hub', () => {
  it.each(Object.entries(REASONS))(
    'ends with a server that is endless in its %s (R69)',
    async (mode, reason) => {
      await using hub = openHub({ s: endless(mode) });
      await hub.hub.settled();
      expect(hub.status()).toMatchObject({ status: 'failed', error: expect.stringMatching(reason) });
    },
  );

  it('refuses endless resources, and the server stays (R69)', async () => {
    await using hub = openHub({ s: endless('pages', { ONLY: 'resources/list' }) });
    await hub.until('connected');
    const reason = /resources\/list has more than 1000 pages/;
    await expect(listResources(hub.hub, 's')).rejects.toThrow(reason);
    expect(await listResources(hub.hub)).toMatchObject({ errors: { s: expect.stringMatching(reason) } });
    expect(hub.status()).toMatchObject({ status: 'connected' });
  });

  it('lists again once for any number of notices that tools have changed', async () => {
    let lists = 0;
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const results: Record<string, () => object | Promise<object>> = {
      initialize: () => ({
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 's', version: '1' },
      }),
      'tools/list': async () => {
        lists += 1;
        if (lists > 1) await held;
        return { tools: [] };
      },
    };
    await using hub = openHub(
      { s: { type: 'sdk', name: 's' } },
      {
        answer: async (_, fields) => {
          const { id, method } = fields.message as { id: number; method: string };
          return { mcp_response: { jsonrpc: '2.0', id, result: (await results[method]?.()) ?? {} } };
        },
      },
    );
    await hub.until('connected');
    for (let notice = 0; notice < 1_000; notice += 1) {
      hub.hub.required('s').receive({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    }
    release();
    await hub.hub.relisted();
    // The first, the one that the first notice asked for, and one for all that came meanwhile.
    expect(lists).toBeLessThanOrEqual(3);
  });
});

/** Answers `initialize`, and everything else with a message that does not end. */
async function endlessHttp(contentType: string) {
  const server = createServer((request, response) => {
    response.on('error', () => {});
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', (): unknown => {
      const { id, method } = body === '' ? { id: undefined, method: '' } : JSON.parse(body);
      if (request.method !== 'POST') return response.writeHead(405).end();
      if (id === undefined) return response.writeHead(202).end();
      if (method === 'initialize') {
        const serverInfo = { name: 'endless', version: '1' };
        const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
        response.setHeader('content-type', 'application/json');
        return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      }
      response.writeHead(200, { 'content-type': contentType });
      response.write(contentType === 'application/json' ? '"' : 'data: "');
      const line = contentType === 'application/json' ? '' : '\ndata: ';
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1024 * 1024) + line));
        response.once('drain', pour);
      };
      return pour();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

it.each(['application/json', 'text/event-stream'])(
  'a remote server whose message in %s does not end is given up (R69)',
  async (contentType) => {
    await using server = await endlessHttp(contentType);
    await using hub = openHub({ s: { type: 'http', url: server.url } });
    await hub.hub.settled();
    expect(hub.status()).toMatchObject({ status: 'failed', error: expect.stringMatching(REASONS.line) });
  },
);

async function* once(ready: Promise<void>): AsyncGenerator<SDKUserMessage> {
  await ready;
  yield { type: 'user', message: { role: 'user', content: 'Go.' }, parent_tool_use_id: null };
}

describe.each(BACK_ENDS)('with $name', ({ start }) => {
  it('a proxied server that is endless in its pages has no tools, and the turn goes on (R69)', async () => {
    await using agent = await start(['Done.']);
    const s: McpServerConfig = proxyMcpServer(endless('pages'), { name: 's' });
    const { messages, error } = await ask(agent.options({ mcpServers: { s }, settingSources: [] }));
    expect(error).toBeUndefined();
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
    expect(
      agent
        .offered()
        .flat()
        .filter((name) => name.startsWith('mcp__s')),
    ).toEqual([]);
  });

  it.each(['resources/list', 'resources/templates/list', 'prompts/list'])(
    'the host is told that %s of a proxied server has no end (R69)',
    async (method) => {
      await using agent = await start(['Done.']);
      const s = proxyMcpServer(endless('pages', { ONLY: method }), { name: 's' });
      let isListed = (): void => {};
      const listed = new Promise<void>((resolve) => {
        isListed = resolve;
      });
      const running = query({
        prompt: once(listed),
        options: agent.options({ mcpServers: { s }, settingSources: [] }),
      });
      const list = method === 'prompts/list' ? running.listMcpPrompts('s') : running.listMcpResources('s');
      const reason = new RegExp(`"s".*${method} has more than ${LIMITS.maxListPages} pages`);
      await expect(list).rejects.toThrow(reason);
      isListed();
      await collect(running);
    },
  );
});
