// @ts-check
/** What the measurements share: one conversation with the emulator through a given client. */
import { z } from 'zod';
import { emulator } from '../emulator/build.mjs';

/**
 * @typedef {object} Client
 * @property {(parameters: any) => any} query
 * @property {(...parameters: any[]) => any} tool
 * @property {(definition: any) => any} createSdkMcpServer
 */

/** @param {string} agent what the emulator does */
export function environment(agent) {
  const { PATH = '', HOME = '/' } = process.env;
  return { PATH, HOME, BENCH_AGENT: agent };
}

/**
 * @param {Client} client
 * @param {string} agent
 * @param {string | AsyncIterable<object>} [prompt]
 */
export function open(client, agent, prompt = 'go') {
  return client.query({
    prompt,
    options: {
      pathToClaudeCodeExecutable: emulator(),
      env: environment(agent),
      mcpServers: { bench: echoServer(client) },
    },
  });
}

/**
 * A server with the tool that every call of the benchmark goes to.
 *
 * @param {Client} client
 * @param {() => void} [onCall]
 */
export function echoServer(client, onCall) {
  const echo = client.tool(
    'echo',
    'Repeats',
    { n: z.number(), text: z.string() },
    async (/** @type {{ n: number, text: string }} */ { n, text }) => {
      onCall?.();
      return { content: [{ type: 'text', text: `${n}:${text}` }] };
    },
  );
  return client.createSdkMcpServer({ name: 'bench', version: '1.0.0', tools: [echo] });
}

/**
 * Reads a conversation to its end and returns what the emulator measured.
 *
 * @param {AsyncIterable<any>} conversation
 * @returns {Promise<Record<string, number>>}
 */
export async function toEnd(conversation) {
  let measured;
  for await (const message of conversation) {
    if (message.type === 'result') measured = JSON.parse(message.result);
  }
  if (measured === undefined) throw new Error('The conversation ended without a result.');
  return measured;
}

/** Milliseconds since the epoch, finer than Date's. */
export function wallClock() {
  return performance.timeOrigin + performance.now();
}

/** A prompt that stays open. */
export async function* openPrompt() {
  await new Promise(() => {});
}

/** Heap in use after two collections: the second one takes what finalizers of the first let go. */
export async function settledHeap() {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
}

/** @param {number[]} values */
export function median(values) {
  return /** @type {number} */ (values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]);
}
