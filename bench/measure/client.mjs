// @ts-check
/** The measurements of a client: each gets a loaded client and parameters, and returns numbers by name. */

import { emulator } from '../emulator/build.mjs';
import {
  echoServer,
  environment,
  median,
  open,
  openPrompt,
  settledHeap,
  toEnd,
  wallClock,
} from './conversation.mjs';

/** @typedef {import('./conversation.mjs').Client} Client */

/** @param {Client} client */
async function start(client) {
  const before = wallClock();
  const measured = await toEnd(open(client, 'nothing'));
  return /** @type {number} */ (measured.firstByteAt) - before;
}

/** @param {Client} client */
export async function cold(client) {
  return { start: await start(client) };
}

/** @param {Client} client */
export async function warm(client) {
  const times = [];
  for (let index = 0; index < 30; index += 1) times.push(await start(client));
  return { start: median(times.slice(10)) };
}

/**
 * @param {Client} client
 * @param {{ number: number, inFlight: number, bytes: number }} parameters
 */
export async function calls(client, { number, inFlight, bytes }) {
  let called = 0;
  /** @type {NodeJS.CpuUsage | undefined} */
  let cpu;
  const server = echoServer(client, () => {
    called += 1;
    // From the second fifth on: before it the compiler is at work, for all alike.
    if (called === Math.floor(number / 5) + 1) cpu = process.cpuUsage();
  });
  const measured = await toEnd(
    client.query({
      prompt: 'go',
      options: {
        pathToClaudeCodeExecutable: emulator(),
        env: environment(`calls ${number} ${inFlight} ${bytes}`),
        mcpServers: { bench: server },
      },
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  if (called !== number) throw new Error(`The handler ran ${called} times for ${number} calls.`);
  const { firstCall = 0, p50 = 0, p99 = 0, elapsed = 1, counted = 0 } = measured;
  const cpuEach = (user + system) / 1000 / (number - Math.floor(number / 5));
  return { firstCall, p50, p99, cpu: cpuEach, perSecond: (counted / elapsed) * 1000 };
}

/**
 * The same with the embedded runtime: one conversation after the other, each with so many calls.
 *
 * @param {Client} client
 * @param {{ number: number }} parameters
 */
export async function embeddedCalls(client, { number }) {
  const { callingModel, completed, options } = await import('./runtime.mjs');
  const turn = () =>
    completed(client.query({ prompt: 'go', options: options(undefined, callingModel(number)) }));
  for (let index = 0; index < 20; index += 1) await turn();
  const cpu = process.cpuUsage();
  for (let index = 0; index < 60; index += 1) await turn();
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / 1000 / (60 * number) };
}

/**
 * @param {Client} client
 * @param {{ number: number, bytes: number }} parameters
 */
export async function stream(client, { number, bytes }) {
  let seen = 0;
  let characters = 0;
  let started = 0;
  let took = 0;
  for await (const message of open(client, `stream ${number} ${bytes}`)) {
    if (message.type === 'system' && message.subtype === 'init') started = performance.now();
    if (message.type === 'assistant') {
      seen += 1;
      characters += message.message.content[0].text.length;
    }
    if (message.type === 'result') took = performance.now() - started;
  }
  if (seen !== number || characters !== number * bytes)
    throw new Error(`${seen} messages, ${characters} characters.`);
  return { took, perSecond: (number / took) * 1000 };
}

/**
 * Open conversations that do nothing.
 *
 * @param {Client} client
 * @param {{ number: number }} parameters
 */
export async function idle(client, { number }) {
  // Some before, so that what is loaded and compiled once is not counted.
  for (let index = 0; index < 50; index += 1) await toEnd(open(client, 'nothing'));
  const before = await settledHeap();
  const conversations = [];
  for (let index = 0; index < number; index += 1) {
    const conversation = open(client, 'nothing', openPrompt());
    await conversation.initializationResult();
    conversations.push(conversation);
  }
  const heap = ((await settledHeap()) - before) / 1024 / number;
  for (const conversation of conversations) conversation.close();
  return { heap };
}

/**
 * One conversation after the other: what remains of each.
 *
 * @param {Client} client
 * @param {{ number: number }} parameters
 */
export async function sequence(client, { number }) {
  for (let index = 0; index < 50; index += 1) await toEnd(open(client, 'nothing'));
  const before = await settledHeap();
  const started = performance.now();
  for (let index = 0; index < number; index += 1) await toEnd(open(client, 'nothing'));
  const each = (performance.now() - started) / number;
  return { each, left: ((await settledHeap()) - before) / 1024 / number };
}

/** @param {Client} client */
export async function shutdown(client) {
  const times = [];
  for (let index = 0; index < 20; index += 1) {
    let result = 0;
    for await (const message of open(client, 'nothing')) {
      if (message.type === 'result') result = performance.now();
    }
    times.push(performance.now() - result);
  }
  return { end: median(times.slice(5)) };
}
