/** One connection to an in-process server: the handshake, lists, calls, cancelling, and what handlers can say (R7). */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createSdkMcpServer, type ListedTool, type ToolContext, tool } from '../../../src/index.js';
import { McpWire } from '../../support/mcp-wire.js';

/** A tool whose calls are answered by hand. */
function waitingTool() {
  const calls: { args: { n: number }; context: ToolContext; finish(value: string): void }[] = [];
  const definition = tool(
    'wait',
    'Waits',
    { n: z.number().default(0) },
    (args, context) => new Promise<string>((finish) => calls.push({ args, context, finish })),
  );
  return { calls, definition };
}

async function waiting(sessionId?: string) {
  const { calls, definition } = waitingTool();
  const server = createSdkMcpServer({ name: 'slow', tools: [definition] }).instance;
  const wire = await McpWire.to(server, sessionId);
  return { calls, server, wire };
}

describe('the handshake', () => {
  it.each<[unknown, string]>([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['2099-01-01', '2025-11-25'],
    [undefined, '2025-11-25'],
  ])('asked for version %j answers with %s', async (protocolVersion, expected) => {
    const wire = await McpWire.to(createSdkMcpServer({ name: 's' }).instance);
    expect(await wire.request('initialize', { protocolVersion })).toMatchObject({
      protocolVersion: expected,
      serverInfo: { name: 's', version: '1.0.0' },
    });
    wire.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await wire.request('ping')).toEqual({});
  });

  it('may come again, and may be left out', async () => {
    const wire = await McpWire.to(createSdkMcpServer({ name: 's' }).instance);
    expect(await wire.request('tools/list')).toEqual({ tools: [] });
    await wire.request('initialize', {});
    await wire.request('initialize', {});
    expect(await wire.request('ping')).toEqual({});
  });
});

describe('tools/list', () => {
  it('comes in pages that together are all tools, each once', async () => {
    const tools = Array.from({ length: 2_500 }, (_, index) => tool(`t${index}`, 'd', {}, () => ''));
    const wire = await McpWire.to(createSdkMcpServer({ name: 's', tools }).instance);
    const names: string[] = [];
    let pages = 0;
    let cursor: string | undefined;
    do {
      const page = await wire.request<{ tools: ListedTool[]; nextCursor?: string }>(
        'tools/list',
        cursor === undefined ? {} : { cursor },
      );
      names.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBeGreaterThan(1);
    expect(names).toEqual(tools.map(({ name }) => name));
    expect(await wire.request('tools/list', { cursor: '5000' })).toEqual({ tools: [] });
  });
});

describe('calls', () => {
  it('run side by side and are answered under their ids, in whatever order (R16)', async () => {
    const { calls, wire } = await waiting();
    const answers = ['a', 7, 'c'].map((id, n) =>
      wire.exchange('tools/call', { name: 'wait', arguments: { n } }, id),
    );
    await vi.waitUntil(() => calls.length === 3);
    for (const call of calls.toReversed()) call.finish(`answer ${call.args.n}`);
    expect(await Promise.all(answers)).toMatchObject([
      { id: 'a', result: { content: [{ text: 'answer 0' }] } },
      { id: 7, result: { content: [{ text: 'answer 1' }] } },
      { id: 'c', result: { content: [{ text: 'answer 2' }] } },
    ]);
    expect(wire.responses.map(({ id }) => id)).toEqual(['c', 7, 'a']);
  });

  it('know who called: request, server, session, tool use and _meta (wish 21)', async () => {
    const { calls, wire } = await waiting('session-1');
    const meta = { 'claudecode/toolUseId': 'toolu_1', progressToken: 5 };
    void wire.exchange('tools/call', { name: 'wait', arguments: {}, _meta: meta }, 'r1');
    await vi.waitUntil(() => calls.length === 1);
    expect(calls[0]?.context).toMatchObject({
      requestId: 'r1',
      serverName: 'slow',
      sessionId: 'session-1',
      toolUseId: 'toolu_1',
      meta,
      _meta: meta,
    });
  });

  it('without _meta have neither tool use nor session', async () => {
    const { calls, wire } = await waiting();
    void wire.exchange('tools/call', { name: 'wait' });
    await vi.waitUntil(() => calls.length === 1);
    expect(calls[0]?.context).toMatchObject({ toolUseId: undefined, sessionId: undefined, meta: {} });
  });
});

describe('a cancelled call', () => {
  it('has its signal aborted with the reason, and is not answered', async () => {
    const { calls, wire } = await waiting();
    void wire.exchange('tools/call', { name: 'wait' }, 'one');
    void wire.exchange('tools/call', { name: 'wait' }, 'two');
    await vi.waitUntil(() => calls.length === 2);
    const params = { requestId: 'one', reason: 'the user left' };
    wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    expect(calls[0]?.context.signal.reason).toMatchObject({ code: 'ABORTED', message: 'the user left' });
    expect(calls[1]?.context.signal.aborted).toBe(false);
    for (const call of calls) call.finish('done');
    await turn();
    expect(wire.responses.map(({ id }) => id)).toEqual(['two']);
  });

  it('of which nobody knows is ignored', async () => {
    const { wire } = await waiting();
    for (const params of [undefined, {}, { requestId: 'unknown' }, { requestId: {} }]) {
      wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    }
    expect(await wire.request('ping')).toEqual({});
  });
});

describe('a handler', () => {
  it('reports progress to whoever asked for it, and to nobody else', async () => {
    const { calls, wire } = await waiting();
    void wire.exchange('tools/call', { name: 'wait', _meta: { progressToken: 9 } });
    void wire.exchange('tools/call', { name: 'wait' });
    await vi.waitUntil(() => calls.length === 2);
    for (const { context } of calls) context.reportProgress(1, 4, 'a quarter');
    expect(wire.notifications).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 9, progress: 1, total: 4, message: 'a quarter' },
      },
    ]);
  });

  it('logs, from the level that the client wants', async () => {
    const { calls, wire } = await waiting();
    void wire.exchange('tools/call', { name: 'wait' });
    await vi.waitUntil(() => calls.length === 1);
    const { log } = calls[0]!.context;
    log('debug', 'first');
    await wire.request('logging/setLevel', { level: 'warning' });
    log('info', 'unwanted');
    log('error', { code: 5 }, 'database');
    expect(wire.notifications.map(({ params }) => params)).toEqual([
      { level: 'debug', logger: 'slow', data: 'first' },
      { level: 'error', logger: 'database', data: { code: 5 } },
    ]);
  });

  it('says nothing more once its call is cancelled', async () => {
    const { calls, wire } = await waiting();
    void wire.exchange('tools/call', { name: 'wait', _meta: { progressToken: 1 } }, 'x');
    await vi.waitUntil(() => calls.length === 1);
    wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } });
    calls[0]?.context.reportProgress(1);
    calls[0]?.context.log('error', 'too late');
    expect(wire.notifications).toEqual([]);
  });

  it('sends requests and notifications of its own, as MCP handlers do', async () => {
    const { calls, wire } = await waiting();
    void wire.exchange('tools/call', { name: 'wait' });
    await vi.waitUntil(() => calls.length === 1);
    const { sendRequest, sendNotification } = calls[0]!.context;
    await sendNotification({ method: 'notifications/mine', params: { a: 1 } });
    expect(wire.notifications).toMatchObject([{ method: 'notifications/mine', params: { a: 1 } }]);
    const [good, bad] = [
      sendRequest({ method: 'roots/list' }),
      sendRequest({ method: 'sampling/createMessage' }),
    ];
    const [first, second] = wire.requests;
    wire.say({ jsonrpc: '2.0', id: second!.id, error: { code: -32601, message: 'Method not found' } });
    wire.say({ jsonrpc: '2.0', id: first!.id, result: { roots: [] } });
    expect(await good).toEqual({ roots: [] });
    await expect(bad).rejects.toMatchObject({ code: -32601, message: 'Method not found' });
  });

  it('has its requests rejected when its call is cancelled, or the connection ends', async () => {
    for (const end of ['cancel', 'close'] as const) {
      const { calls, wire } = await waiting();
      void wire.exchange('tools/call', { name: 'wait' }, 'x');
      await vi.waitUntil(() => calls.length === 1);
      const asked = calls[0]!.context.sendRequest({ method: 'roots/list' });
      if (end === 'close') await wire.transport.close();
      else wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } });
      await expect(asked).rejects.toMatchObject({ code: 'ABORTED' });
      expect(calls[0]?.context.signal.aborted).toBe(true);
    }
  });

  it('never brings the host down when its client has gone', async () => {
    const { calls, wire } = await waiting();
    void wire.exchange('tools/call', { name: 'wait', _meta: { progressToken: 1 } });
    await vi.waitUntil(() => calls.length === 1);
    wire.transport.send = async () => {
      throw new Error('the pipe is broken');
    };
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    try {
      calls[0]?.context.reportProgress(1);
      calls[0]?.context.log('info', 'x');
      await expect(calls[0]?.context.sendRequest({ method: 'roots/list' })).rejects.toThrow(
        'the pipe is broken',
      );
      calls[0]?.finish('done');
      await turn();
      await turn();
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });
});

describe('one server', () => {
  it('serves many connections, each for itself (R9)', async () => {
    const { calls, definition } = waitingTool();
    const server = createSdkMcpServer({ name: 'shared', tools: [definition] }).instance;
    const wires = await Promise.all(Array.from({ length: 100 }, () => McpWire.to(server)));
    // The same ids on every connection.
    const answers = wires.map((wire, n) =>
      wire.exchange('tools/call', { name: 'wait', arguments: { n } }, 1),
    );
    await vi.waitUntil(() => calls.length === 100);
    await wires[0]?.transport.close();
    expect(calls.map(({ context }) => context.signal.aborted).filter(Boolean)).toHaveLength(1);
    for (const call of calls) call.finish(String(call.args.n));
    const texts = (await Promise.all(answers.slice(1))).map((answer) => JSON.stringify(answer));
    for (const [index, text] of texts.entries()) expect(text).toContain(`"text":"${index + 1}"`);
    void wires[1]?.exchange('tools/call', { name: 'wait' }, 2);
    await vi.waitUntil(() => calls.length === 101);
    await server.close();
    expect(calls[100]?.context.signal.aborted).toBe(true);
  });
});
