/** A call that changes the tools is answered when the agent has read the new list, so that its model knows it (pain 32). */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { InProcessServers } from '../../../src/client/mcp/in-process-servers.js';
import {
  createSdkMcpServer,
  type JsonRpcMessage,
  type SdkMcpServerConfig,
  tool,
} from '../../../src/index.js';
import type { McpHost } from '../../../src/mcp/in-process/agent-connection.js';
import { Cancellation } from '../../../src/protocol/base/cancellation.js';
import { LIMITS } from '../../../src/protocol/base/limits.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** An agent that has a server with the tools `add` and `plain`, and says what is told. */
function agent() {
  const notified: string[] = [];
  const host: McpHost = {
    sessionId: undefined,
    capabilities: {},
    notify: ({ method }) => void notified.push(method),
    serve: async () => ({}),
    progressed: () => {},
    warn: () => {},
    debug: () => {},
  };
  const server: SdkMcpServerConfig = createSdkMcpServer({
    name: 's',
    tools: [
      tool('add', 'd', {}, () => {
        server.addTool(`more${server.instance.tools.names.length}`, 'd', {}, () => '');
        return 'added';
      }),
      tool('plain', 'd', {}, () => 'plain'),
    ],
  });
  const servers = new InProcessServers({ s: server });
  servers.open(() => host);
  const answered: string[] = [];
  let id = 0;
  const say = (method: string, params: Record<string, unknown> = {}) => {
    id += 1;
    const message: JsonRpcMessage = { jsonrpc: '2.0', id, method, params };
    return servers.receive('s', message, new Cancellation()).then(() => void answered.push(method));
  };
  return { notified, server, servers, answered, say };
}

/** Lets everything happen that needs no timer. */
async function settle(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('the answer waits for the list, and no longer', async () => {
  const { notified, answered, say } = agent();
  const call = say('tools/call', { name: 'add' });
  await settle();
  expect(notified).toEqual(['notifications/tools/list_changed']);
  expect(answered).toEqual([]);
  await say('tools/list');
  await call;
  expect(answered).toEqual(['tools/list', 'tools/call']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a list in pages counts when its last page is there', async () => {
  const { server, answered, say } = agent();
  server.setTools([
    ...[...Array(1_200).keys()].map((n) => tool(`t${n}`, 'd', {}, () => '')),
    tool('add', 'd', {}, () => server.removeTool('t0')),
  ]);
  const call = say('tools/call', { name: 'add' });
  await say('tools/list');
  await settle();
  expect(answered).toEqual(['tools/list']);
  await say('tools/list', { cursor: '1000' });
  await call;
  expect(answered).toEqual(['tools/list', 'tools/list', 'tools/call']);
});

test('an agent that never asks for the list is answered after a moment', async () => {
  const { answered, say } = agent();
  const call = say('tools/call', { name: 'add' });
  await settle();
  await vi.advanceTimersByTimeAsync(LIMITS.relistMs - 1);
  expect(answered).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await call;
  await say('tools/call', { name: 'plain' });
  expect(answered).toEqual(['tools/call', 'tools/call']);
});

test('the end of the conversation lets everything go', async () => {
  const { servers, answered, say } = agent();
  const call = say('tools/call', { name: 'add' });
  await settle();
  servers.close();
  await call;
  expect(answered).toEqual(['tools/call']);
  expect(vi.getTimerCount()).toBe(0);
});
