/** `serveStdio()`: a Tenon server as a program that other MCP clients start (pain 56, wish 15). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioClientTransportV2 } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, serveStdio, tool } from '../../../src/index.js';
import { LIMITS } from '../../../src/protocol/base/limits.js';
import { failOnTrouble } from '../../support/fake-cli.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { alive } from '../../support/real-cli.js';

const isAboutClient = (warning: Error): boolean =>
  (warning as { code?: string }).code === 'TENON_STALLED_CLIENT';
failOnTrouble(isAboutClient);

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/mcp/${name}`, import.meta.url));
const program = { command: process.execPath, args: [fixture('tenon-server.mjs'), 'stdio'] };

it('serves clients of both majors, and leaves when they do', async () => {
  for (const [client, transport] of [
    [new Client({ name: 'v1', version: '1' }), new StdioClientTransport({ ...program, stderr: 'ignore' })],
    [
      new ClientV2({ name: 'v2', version: '1' }),
      new StdioClientTransportV2({ ...program, stderr: 'ignore' }),
    ],
  ] as const) {
    await (client as Client).connect(transport as StdioClientTransport);
    const { pid } = transport;
    expect(client.getInstructions()).toBe('Add.');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['add', 'wait']);
    expect(await client.callTool({ name: 'add', arguments: { a: 15, b: 27 } })).toMatchObject({
      content: [{ type: 'text', text: '42' }],
    });
    await client.close();
    expect(alive(pid ?? 0)).toBe(false);
  }
});

it('aborts what runs and ends the program by itself when its input ends', async () => {
  const child = spawn(program.command, program.args, { stdio: 'pipe' });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (stderr === 'waiting\n') child.stdin.end();
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  };
  send({ id: 1, method: 'initialize', params });
  send({ id: 2, method: 'tools/call', params: { name: 'wait', arguments: {} } });
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  expect(stderr).toBe('waiting\naborted\nclosed\n');
});

it('serves a proxy, whose server goes with it', async () => {
  const args = [fixture('tenon-server.mjs'), 'stdio-proxy', process.execPath, fixture('by-hand.mjs')];
  const transport = new StdioClientTransport({ command: process.execPath, args });
  const client = new Client({ name: 'v1', version: '1' });
  await client.connect(transport);
  const { content } = await client.callTool({ name: 'pid' });
  const pids = [transport.pid, Number((content as { text: string }[])[0]?.text)];
  expect(pids.map((pid) => alive(pid ?? 0))).toEqual([true, true]);
  await client.close();
  expect(pids.map((pid) => alive(pid ?? 0))).toEqual([false, false]);
});

it('serves any pair of streams, until close()', async () => {
  const echo = tool('echo', 'Echoes', {}, () => 'echo');
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const serving = await serveStdio(createSdkMcpServer({ name: 'piped', tools: [echo] }), { stdin, stdout });
  stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}\n');
  const [line] = await once(stdout.setEncoding('utf8'), 'data');
  expect(JSON.parse(line)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'echo' }] },
  });
  await serving.close();
  await serving.closed;
  await serving.close();
  stdin.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
  await new Promise((resolve) => setImmediate(resolve));
  expect(stdout.read()).toBeNull();
});

it('a program that has closed its HTTP server ends by itself: nothing is left open', async () => {
  const child = spawn(process.execPath, [fixture('tenon-server.mjs'), 'http-once'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  expect({ code, output: JSON.parse(output) }).toEqual({
    code: 0,
    output: { status: 200, events: expect.any(String) },
  });
});

/** What was written to a stream, line by line. */
function linesOf(stream: PassThrough): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((part) => JSON.parse(part)));
  });
  return lines;
}

it('answers a line of 64 MB, however it is cut (pain 12)', async () => {
  const length = tool('length', 'Measures', { text: z.string() }, ({ text }) => text.length);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const lines = linesOf(stdout);
  await using _ = await serveStdio(createSdkMcpServer({ name: 'long', tools: [length] }), { stdin, stdout });
  const head =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"length","arguments":{"text":"';
  stdin.write(head);
  const part = Buffer.alloc(64 * 1024, 'x');
  for (let sent = 0; sent < 1024; sent += 1) stdin.write(part);
  stdin.write('"}}}\n');
  await vi.waitFor(() => expect(lines).toHaveLength(1), PATIENCE_MS);
  expect(lines[0]).toMatchObject({ id: 1, result: { content: [{ text: String(64 * 1024 * 1024) }] } });
});

it('says what it cannot read, and goes on with the next line (R69)', async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const lines = linesOf(stdout);
  await using _ = await serveStdio(createSdkMcpServer({ name: 'bounded' }), {
    stdin,
    stdout,
    maxLineBytes: 100,
  });
  stdin.write(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'x'.repeat(200)}"}}\n`);
  stdin.write('{"jsonrpc":\n');
  stdin.write('[]\n\n');
  stdin.write('{"jsonrpc":"2.0","id":4,"method":7}\n');
  stdin.write('{"jsonrpc":"2.0","id":5,"method":"ping"}\n');
  await vi.waitFor(() => expect(lines.at(-1)).toMatchObject({ id: 5, result: {} }));
  const refused = lines.slice(0, -1);
  expect(refused.map(({ id, error }) => [id, (error as { code: number }).code])).toEqual([
    [null, -32600],
    [null, -32700],
    [null, -32600],
    [4, -32600],
  ]);
  expect(JSON.stringify(refused[0])).toContain('longer than 100 bytes (maxLineBytes)');
});

it('ends with a client that does not read (R70)', async () => {
  const flood = tool('flood', 'Floods', {}, async (_args, { reportProgress, signal }) => {
    const text = 'x'.repeat(1024 * 1024);
    for (let sent = 0; !signal.aborted; sent += 1) {
      reportProgress(sent, undefined, text);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return 'aborted';
  });
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const { closed } = await serveStdio(createSdkMcpServer({ name: 'flooding', tools: [flood] }), {
    stdin,
    stdout,
  });
  const params = { name: 'flood', arguments: {}, _meta: { progressToken: 1 } };
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  await closed;
  expect(stdout.readableLength + stdout.writableLength).toBeLessThan(2 * LIMITS.maxUnsentBytes);
});
