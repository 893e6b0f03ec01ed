// @ts-check
/** The same small tool call by every way that there is, p50 in milliseconds (R33). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  Client,
  InMemoryTransport,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as tenon from 'tenon';
import { calls } from './client.mjs';
import { echoServer, median } from './conversation.mjs';
import { callingModel, completed, options } from './runtime.mjs';

const program = fileURLToPath(new URL('../../test/fixtures/mcp/server.mjs', import.meta.url));
const TEXT = 'x'.repeat(100);
const ROUNDS = 1000;

/** @type {Record<string, () => Promise<number>>} */
const WAYS = {
  direct: async () => {
    const echo = async (/** @type {string} */ text) => ({
      content: [{ type: 'text', text: `echo: ${text}` }],
    });
    // A single call is shorter than the clock's step.
    const batch = 1000;
    const times = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const started = performance.now();
      for (let index = 0; index < batch; index += 1) await echo(TEXT);
      times.push((performance.now() - started) / batch);
    }
    return median(times);
  },
  memory: async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    await echoServer(tenon).instance.connect(far);
    return callsOf(near, { n: 1, text: TEXT });
  },
  'in-process': async () => (await calls(tenon, { number: 5000, inFlight: 1, bytes: 100 })).p50,
  embedded: async () => {
    const [many, times] = [100, /** @type {number[]} */ ([])];
    for (let round = 0; round < 60; round += 1) {
      const started = performance.now();
      const conversation = tenon.query({ prompt: 'hi', options: options(undefined, callingModel(many)) });
      await completed(conversation);
      times.push((performance.now() - started) / many);
    }
    return median(times.slice(10));
  },
  stdio: () =>
    callsOf(new StdioClientTransport({ command: process.execPath, args: [program, 'stdio'] }), {
      text: TEXT,
    }),
  sse: async () => callsOf(new SSEClientTransport(await listening('sse')), { text: TEXT }),
  http: async () => callsOf(new StreamableHTTPClientTransport(await listening('http')), { text: TEXT }),
};

/** @param {string} way */
export async function transport(way) {
  const measure = WAYS[way];
  if (measure === undefined) throw new Error(`There is no way "${way}".`);
  return { p50: await measure() };
}

/** @param {string} type */
async function listening(type) {
  const child = spawn(process.execPath, [program, type], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return new URL(url);
}

/**
 * @param {any} transport
 * @param {Record<string, unknown>} input
 */
async function callsOf(transport, input) {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(transport);
  const times = [];
  for (let index = 0; index < ROUNDS; index += 1) {
    const started = performance.now();
    const result = await client.callTool({ name: 'echo', arguments: input });
    times.push(performance.now() - started);
    if (!JSON.stringify(result).includes(TEXT)) throw new Error(`A wrong answer: ${JSON.stringify(result)}`);
  }
  await client.close();
  return median(times.slice(ROUNDS / 5));
}
