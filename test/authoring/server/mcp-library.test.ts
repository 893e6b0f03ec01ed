/** An in-process server is a real MCP server: the client of the MCP library connects to it (R2, R7). */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { createSdkMcpServer, type McpTransport, tool } from '../../../src/index.js';

const server = createSdkMcpServer({
  name: 'calc',
  version: '1.2.3',
  instructions: 'Adds.',
  tools: [
    tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, ({ a, b }) => a + b),
    tool('slow', 'Counts', {}, async (_args, { reportProgress, signal }) => {
      reportProgress(1, 2);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    }),
    tool('fail', 'Fails', {}, () => {
      throw new Error('It failed');
    }),
  ],
});

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function connect(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([client.connect(theirs), server.instance.connect(ours as McpTransport)]);
  clients.push(client);
  return client;
}

it('shakes hands, lists and calls', async () => {
  const client = await connect();
  expect(client.getServerVersion()).toMatchObject({ name: 'calc', version: '1.2.3' });
  expect(client.getInstructions()).toBe('Adds.');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['add', 'slow', 'fail']);
  expect(await client.callTool({ name: 'add', arguments: { a: 15, b: 27 } })).toEqual({
    content: [{ type: 'text', text: '42' }],
  });
  await client.ping();
});

it('reports failures as results', async () => {
  const client = await connect();
  const text = async (name: string, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    expect(result.isError).toBe(true);
    return (result.content as { text: string }[])[0]?.text;
  };
  expect(await text('fail')).toBe('It failed');
  expect(await text('add', { a: 'x', b: 1 })).toMatch(/Invalid arguments for tool "add": a: /);
  expect(await text('none')).toMatch(/Tool "none" not found/);
});

it('passes progress on, and an abort ends the call', async () => {
  const client = await connect();
  const controller = new AbortController();
  const progress: unknown[] = [];
  const call = client.callTool({ name: 'slow', arguments: {} }, undefined, {
    signal: controller.signal,
    onprogress: (each) => {
      progress.push(each);
      controller.abort('enough');
    },
  });
  await expect(call).rejects.toThrow(/enough/);
  expect(progress).toEqual([{ progress: 1, total: 2 }]);
});

it('serves several clients at once, and the end of one is not that of another (R9)', async () => {
  const [first, second] = await Promise.all([connect(), connect()]);
  await first.close();
  expect(await second.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
    content: [{ text: '3' }],
  });
});
