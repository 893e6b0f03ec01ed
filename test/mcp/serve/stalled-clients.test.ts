/** A client that asks and does not read costs a served server a bounded amount of memory, and then its session (R70). */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { createSdkMcpServer, type HttpServing, serveHttp, tool } from '../../../src/index.js';
import { LIMITS } from '../../../src/protocol/base/limits.js';
import { failOnTrouble } from '../../support/fake-cli.js';
import { PATIENCE_MS } from '../../support/patience.js';

const isAboutClient = (warning: Error): boolean =>
  (warning as { code?: string }).code === 'TENON_STALLED_CLIENT';
failOnTrouble(isAboutClient);

const MEGABYTE = 'x'.repeat(1024 * 1024);
const accept = 'application/json, text/event-stream';

async function sessionOf({ url }: HttpServing): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

/** Sends a request and never reads what comes back. */
async function askWithoutReading({ url }: HttpServing, session: string, message: object): Promise<Socket> {
  const { hostname, port, pathname, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.pause();
  socket.on('error', () => {});
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const headers = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'content-type: application/json',
    `accept: ${accept}`,
    `mcp-session-id: ${session}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${headers.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

function statusFor({ url }: HttpServing, session: string): Promise<number> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, 'mcp-session-id': session },
    body: JSON.stringify({ jsonrpc: '2.0', id: 99, method: 'ping' }),
  }).then(async (response) => {
    await response.text();
    return response.status;
  });
}

it('one that does not read what a call reports is cut off, and the call is told (R70)', async () => {
  const warned = once(process, 'warning');
  let sent = 0;
  let isAborted = false;
  const flood = tool('flood', 'Reports without end', {}, async (_args, { reportProgress, signal }) => {
    for (; !signal.aborted; sent += 1) {
      reportProgress(sent, undefined, MEGABYTE);
      await new Promise((resolve) => setImmediate(resolve));
    }
    isAborted = true;
    return 'aborted';
  });
  await using serving = await serveHttp(createSdkMcpServer({ name: 'served', tools: [flood] }));
  const [stalled, other] = [await sessionOf(serving), await sessionOf(serving)];
  const params = { name: 'flood', arguments: {}, _meta: { progressToken: 1 } };
  const socket = await askWithoutReading(serving, stalled, { id: 1, method: 'tools/call', params });
  await vi.waitFor(() => expect(isAborted).toBe(true), PATIENCE_MS);
  // What the system's own buffers took comes on top.
  expect(sent * MEGABYTE.length).toBeLessThan(LIMITS.maxUnsentBytes + 64 * MEGABYTE.length);
  expect(await statusFor(serving, stalled)).toBe(404);
  expect(await statusFor(serving, other)).toBe(200);
  expect((await warned)[0]).toMatchObject({ code: 'TENON_STALLED_CLIENT' });
  socket.destroy();
});

it('one that asks again and again without reading the answers is cut off, over however many sockets (R70)', async () => {
  const big = tool('big', 'Answers at length', {}, () => MEGABYTE.repeat(16));
  await using serving = await serveHttp(createSdkMcpServer({ name: 'served', tools: [big] }));
  const session = await sessionOf(serving);
  const sockets: Socket[] = [];
  const params = { name: 'big', arguments: {} };
  for (let id = 1; id <= 6; id += 1) {
    sockets.push(await askWithoutReading(serving, session, { id, method: 'tools/call', params }));
  }
  await vi.waitFor(async () => expect(await statusFor(serving, session)).toBe(404), PATIENCE_MS);
  for (const socket of sockets) socket.destroy();
});

it('one that reads gets an answer of any length', async () => {
  const big = tool('big', 'Answers at length', {}, () => MEGABYTE.repeat(40));
  await using serving = await serveHttp(createSdkMcpServer({ name: 'served', tools: [big] }));
  const session = await sessionOf(serving);
  const response = await fetch(serving.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, 'mcp-session-id': session },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'big', arguments: {} },
    }),
  });
  expect((await response.text()).length).toBeGreaterThan(40 * MEGABYTE.length);
  expect(await statusFor(serving, session)).toBe(200);
});
