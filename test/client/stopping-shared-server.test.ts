/** One server for many queries: each lists and calls, and the end of one is nothing to the others (R9, pain 15, wish 1). */

import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Query, SdkMcpServerConfig } from '../../src/index.js';
import { createSdkMcpServer, type McpSdkServerConfigWithInstance, tool } from '../../src/index.js';
import { calculator, failOnTrouble, outcome, reportOf, run } from '../support/fake-cli.js';

failOnTrouble();

const QUERIES = 100;

const answer = (result: object) => ({
  type: 'control_response',
  response: { subtype: 'success', response: { mcp_response: { result } } },
});
const complete = {
  hello: answer({ serverInfo: { name: 'calc' } }),
  ready: answer({}),
  list: answer({ tools: [{ name: 'add' }] }),
  call: answer({ content: [{ type: 'text', text: '42' }] }),
};

async function expectComplete(running: Query): Promise<void> {
  const { messages, error } = await outcome(running);
  expect(error).toBeUndefined();
  expect(reportOf(messages)).toMatchObject(complete);
}

const use = (server: McpSdkServerConfigWithInstance | SdkMcpServerConfig): Query =>
  run('uses-server.sh', { mcpServers: { calc: server } });

it('a hundred queries one after another list and call', async () => {
  const { server, calls } = calculator();
  for (let index = 0; index < QUERIES; index++) await expectComplete(use(server));
  expect(calls).toHaveLength(QUERIES);
});

it('a hundred queries at the same time list and call', async () => {
  // None is answered before all have asked, so that they are really there at the same time.
  let asked = 0;
  let release = (): void => {};
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  const add = tool('add', 'Add two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) => {
    asked += 1;
    if (asked === QUERIES) release();
    await all;
    return a + b;
  });
  const server = createSdkMcpServer({ name: 'calc', tools: [add] });
  await Promise.all(Array.from({ length: QUERIES }, () => expectComplete(use(server))));
  expect(asked).toBe(QUERIES);
});

it('closing one query leaves the others working', async () => {
  let release = (): void => {};
  const closed = new Promise<void>((resolve) => {
    release = resolve;
  });
  const signals: AbortSignal[] = [];
  let bothAsked = (): void => {};
  const both = new Promise<void>((resolve) => {
    bothAsked = resolve;
  });
  const add = tool(
    'add',
    'Add two numbers',
    { a: z.number(), b: z.number() },
    async ({ a, b }, { signal }) => {
      signals.push(signal);
      if (signals.length === 2) bothAsked();
      await closed;
      return a + b;
    },
  );
  const server = createSdkMcpServer({ name: 'calc', tools: [add] });
  const [first, second] = [use(server), use(server)];
  await both;
  await first.close();
  expect(signals.map(({ aborted }) => aborted).sort()).toEqual([false, true]);
  release();
  await expectComplete(second);
  await expectComplete(use(server));
});

/** A server object of the MCP library, as a program may have one already. */
function foreign() {
  const instance = new McpServer({ name: 'calc', version: '1.0.0' });
  instance.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  let closed = 0;
  const close = instance.close.bind(instance);
  instance.close = async () => {
    closed += 1;
    await close();
  };
  const config: McpSdkServerConfigWithInstance = { type: 'sdk', name: 'calc', instance };
  return { instance, config, closed: () => closed };
}

it('an McpServer of the MCP library serves one query after another, and is never closed by us', async () => {
  const { config, closed } = foreign();
  for (let index = 0; index < 5; index++) await expectComplete(use(config));
  expect(closed()).toBe(0);
});

it('an McpServer of the MCP library serves queries at the same time (pain 15)', async () => {
  const { config, closed } = foreign();
  await Promise.all(Array.from({ length: 10 }, () => expectComplete(use(config))));
  expect(closed()).toBe(0);
});

it('an McpServer that its owner has connected elsewhere is left alone, and the agent is told why', async () => {
  const { instance, config, closed } = foreign();
  const [mine] = InMemoryTransport.createLinkedPair();
  await instance.connect(mine);
  const { messages, error } = await outcome(use(config));
  expect(error).toBeUndefined();
  expect(reportOf(messages)).toMatchObject({
    hello: { response: { subtype: 'error', error: expect.stringContaining('already connected') } },
  });
  expect(closed()).toBe(0);
  expect(instance.isConnected()).toBe(true);
  await instance.close();
  // Free again, it serves.
  await expectComplete(use(config));
});
