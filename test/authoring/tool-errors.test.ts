/** Tool failures are results that the model can act on; faults of the caller are JSON-RPC errors (R6). */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createSdkMcpServer, tool } from '../../src/index.js';
import { McpWire } from '../support/mcp-wire.js';

const ticket = tool(
  'ticket',
  'Makes a ticket',
  { kind: z.enum(['bug', 'feature', 'task']), fields: z.array(z.object({ name: z.string() })).optional() },
  ({ kind }) => `made a ${kind}`,
);

const throwing = (name: string, thrower: () => unknown) => tool(name, 'Fails', {}, thrower as () => string);

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

const server = createSdkMcpServer({
  name: 'tickets',
  tools: [
    ticket,
    throwing('at_once', () => {
      throw new Error('Invalid ticket kind');
    }),
    throwing('later', async () => {
      throw new Error('The database is away');
    }),
    throwing('nothing_to_say', () => {
      throw new TypeError();
    }),
    throwing('text', () => {
      throw 'just text';
    }),
    throwing('object', () => {
      throw { reason: 'odd', code: 7 };
    }),
    throwing('undefined', () => Promise.reject(undefined)),
    throwing('cycle_thrown', () => {
      throw cycle;
    }),
    throwing('cycle_returned', () => cycle),
    throwing('function_returned', () => () => 1),
  ],
});

const connect = () => McpWire.to(server.instance);
const textOf = (result: { content: Record<string, unknown>[] }) => String(result.content[0]?.text);

describe('a failed call is a result with isError', () => {
  it.each<[string, RegExp]>([
    ['at_once', /^Invalid ticket kind$/],
    ['later', /^The database is away$/],
    ['nothing_to_say', /^TypeError$/],
    ['text', /^just text$/],
    ['object', /^\{"reason":"odd","code":7\}$/],
    ['undefined', /^undefined$/],
    ['cycle_thrown', /Object/],
    ['cycle_returned', /cannot be written as JSON/],
    ['function_returned', /a function, which cannot be sent/],
  ])('%s', async (name, text) => {
    const result = await (await connect()).call(name, {});
    expect(result.isError).toBe(true);
    expect(result.content).toHaveLength(1);
    expect(textOf(result)).toMatch(text);
  });

  it('arguments that do not fit name the tool, the place and the rule', async () => {
    const wire = await connect();
    const wrong = await wire.call('ticket', { kind: 'enhancement' });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toMatch(/Invalid arguments for tool "ticket": kind: .*"bug"\|"feature"\|"task"/);
    const deep = await wire.call('ticket', { kind: 'bug', fields: [{ name: 'a' }, { name: 2 }] });
    expect(textOf(deep)).toMatch(/fields\.1\.name: .*expected string/);
    const several = await wire.call('ticket', { fields: 'none' });
    expect(textOf(several)).toMatch(/kind: .*; fields: /);
  });

  it('an unknown tool names those that there are', async () => {
    const result = await (await connect()).call('tickett', {});
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^Tool "tickett" not found\. This server has: ticket, at_once, /);
    const empty = await McpWire.to(createSdkMcpServer({ name: 'empty' }).instance);
    expect(textOf(await empty.call('x'))).toBe('Tool "x" not found. This server has no tools.');
  });

  it('and the server goes on', async () => {
    const wire = await connect();
    await wire.call('at_once', {});
    expect(await wire.call('ticket', { kind: 'bug' })).toEqual({
      content: [{ type: 'text', text: 'made a bug' }],
    });
  });
});

describe('a fault of the caller is a JSON-RPC error', () => {
  it.each<[string, Record<string, unknown> | undefined, number, RegExp]>([
    ['no/such/method', undefined, -32601, /Method not found: no\/such\/method/],
    // Names that every object has are not methods.
    ['constructor', undefined, -32601, /Method not found: constructor/],
    ['tools/call', undefined, -32602, /`name` must be a string/],
    ['tools/call', { name: 7 }, -32602, /`name` must be a string; it is 7/],
    ['tools/call', { name: 'ticket', arguments: ['bug'] }, -32602, /must be an object/],
    ['tools/call', { name: 'ticket', arguments: 'bug' }, -32602, /must be an object/],
    ['tools/list', { cursor: 'nonsense' }, -32602, /Invalid cursor: "nonsense"/],
    ['tools/list', { cursor: '-1' }, -32602, /Invalid cursor/],
    ['logging/setLevel', { level: 'loud' }, -32602, /Unknown log level: "loud"/],
  ])('%s %j', async (method, params, code, message) => {
    const fault = await (await connect()).fault(method, params);
    expect(fault.code).toBe(code);
    expect(fault.message).toMatch(message);
  });
});
