/** The tools of a server may change while clients are connected (R5, pain 32). */
import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createSdkMcpServer, type ListedTool, type SdkMcpServerConfig, tool } from '../../../src/index.js';
import { McpWire } from '../../support/mcp-wire.js';

const named = (name: string) => tool(name, 'd', {}, () => name);
const changes = (wire: McpWire) =>
  wire.notifications.filter(({ method }) => method === 'notifications/tools/list_changed').length;

async function names(wire: McpWire): Promise<string[]> {
  const { tools } = await wire.request<{ tools: ListedTool[] }>('tools/list');
  return tools.map(({ name }) => name);
}

async function serving(): Promise<{ server: SdkMcpServerConfig; wire: McpWire }> {
  const server = createSdkMcpServer({ name: 's', tools: [named('first')] });
  return { server, wire: await McpWire.to(server.instance) };
}

describe('the server value', () => {
  test('looks like { type, name, instance }, with the ways to change it beside', () => {
    const server = createSdkMcpServer({ name: 's' });
    expect(Object.keys(server)).toEqual(['type', 'name', 'instance']);
    expect({ ...server }).toEqual({ type: 'sdk', name: 's', instance: server.instance });
    expect(inspect(server, { depth: 0 })).not.toContain('addTool');
    for (const method of ['addTool', 'removeTool', 'setTools'] as const) {
      expect(server[method]).toBeTypeOf('function');
      expect(Object.getOwnPropertyDescriptor(server, method)?.enumerable).toBe(false);
    }
    // Passed on alone, they still know their server.
    const { addTool } = server;
    addTool(named('alone'));
    expect(server.instance.tools.names).toEqual(['alone']);
  });
});

describe('addTool', () => {
  test('takes a definition, or the parts of one', async () => {
    const { server, wire } = await serving();
    server.addTool(named('second'));
    server.addTool('third', 'Adds', { a: z.number() }, ({ a }) => a + 1, { concurrency: 'parallel' });
    expect(await names(wire)).toEqual(['first', 'second', 'third']);
    expect(await wire.call('third', { a: 1 })).toEqual({ content: [{ type: 'text', text: '2' }] });
    expect(changes(wire)).toBe(2);
  });

  test('refuses a bad tool and a name that is taken, and nothing has changed', async () => {
    const { server, wire } = await serving();
    expect(() => server.addTool(named('first'))).toThrow('Server "s" has two tools named "first"');
    expect(() => server.addTool('bad name', 'd', {}, () => '')).toThrow(/only letters/);
    expect(() => server.addTool('bad', 'd', { a: z.bigint() }, () => '')).toThrow(/Tool "bad"/);
    expect(await names(wire)).toEqual(['first']);
    expect(changes(wire)).toBe(0);
  });
});

describe('removeTool', () => {
  test('says whether there was one; its name is then free, and calls of it are told so', async () => {
    const { server, wire } = await serving();
    expect(server.removeTool('other')).toBe(false);
    expect(changes(wire)).toBe(0);
    expect(server.removeTool('first')).toBe(true);
    expect(changes(wire)).toBe(1);
    expect(await wire.call('first', {})).toMatchObject({
      isError: true,
      content: [{ text: 'Tool "first" not found. This server has no tools.' }],
    });
    server.addTool(named('first'));
    expect(await names(wire)).toEqual(['first']);
  });

  test('lets a running call come to its end', async () => {
    const { server, wire } = await serving();
    let finish = (_words: string): void => {};
    const begun = vi.fn();
    server.addTool('slow', 'd', {}, () => {
      begun();
      return new Promise<string>((resolve) => (finish = resolve));
    });
    const call = wire.call('slow', {});
    await vi.waitUntil(() => begun.mock.calls.length === 1);
    server.removeTool('slow');
    finish('done');
    expect(await call).toEqual({ content: [{ type: 'text', text: 'done' }] });
  });
});

describe('setTools', () => {
  test('replaces them all, or, with a bad one among them, none', async () => {
    const { server, wire } = await serving();
    server.setTools([named('a'), named('b')]);
    expect(await names(wire)).toEqual(['a', 'b']);
    expect(changes(wire)).toBe(1);
    expect(() => server.setTools([named('c'), named('c')])).toThrow(/two tools named "c"/);
    expect(await names(wire)).toEqual(['a', 'b']);
    expect(changes(wire)).toBe(1);
  });
});

test('a change is told to every connection of that server, and to no other', async () => {
  const [first, second] = [await serving(), await serving()];
  const again = await McpWire.to(first.server.instance);
  const gone = await McpWire.to(first.server.instance);
  await gone.transport.close();
  first.server.addTool(named('more'));
  expect([first.wire, again, gone, second.wire].map(changes)).toEqual([1, 1, 0, 0]);
});

test('a client that cannot be told keeps nobody else from hearing', async () => {
  const { server, wire } = await serving();
  const broken = await McpWire.to(server.instance);
  broken.transport.send = () => {
    throw new Error('the pipe is broken');
  };
  const last = await McpWire.to(server.instance);
  server.addTool(named('more'));
  expect([wire, last].map(changes)).toEqual([1, 1]);
});
