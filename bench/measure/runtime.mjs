// @ts-check
/** The measurements of the embedded runtime, with a scripted model: what is left is the runtime's own cost. */
import { createSdkMcpServer, createSession, query, tool } from 'tenon';
import { embedded } from 'tenon/runtime';
import { scriptedModel } from 'tenon/testing';
import { echoServer, median, openPrompt, settledHeap } from './conversation.mjs';

export const INPUT = JSON.stringify({ n: 1, text: 'x'.repeat(100) });

/**
 * A model that asks for so many calls in each turn, and then answers. Unlike `scriptedModel` it remembers nothing, so
 * that the length of a history costs what it costs the runtime.
 *
 * @param {number} [calls]
 * @returns {import('tenon/runtime').Model}
 */
export function callingModel(calls = 1) {
  let answers = 0;
  return {
    name: 'bench-model',
    async *stream(request) {
      const content = request.messages.at(-1)?.content;
      const isAnswered = Array.isArray(content) && content.some(({ type }) => type === 'tool_result');
      answers += 1;
      yield* events(isAnswered ? 0 : calls, answers);
    },
  };
}

/**
 * @param {number} calls
 * @param {number} answer
 * @param {number} [deltas] of each block
 * @returns {Iterable<any>}
 */
export function* events(calls, answer, deltas = 1) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: `msg_${answer}`,
    type: 'message',
    role: 'assistant',
    model: 'bench-model',
    content: [],
    usage,
  };
  yield { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } };
  for (let index = 0; index < Math.max(calls, 1); index += 1) {
    const isCall = index < calls;
    const content_block = isCall
      ? { type: 'tool_use', id: `toolu_${answer}_${index}`, name: 'mcp__bench__echo', input: {} }
      : { type: 'text', text: '' };
    yield { type: 'content_block_start', index, content_block };
    for (const piece of pieces(INPUT, deltas)) {
      const delta = isCall
        ? { type: 'input_json_delta', partial_json: piece }
        : { type: 'text_delta', text: 'done' };
      yield { type: 'content_block_delta', index, delta };
    }
    yield { type: 'content_block_stop', index };
  }
  const stop_reason = calls > 0 ? 'tool_use' : 'end_turn';
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage };
  yield { type: 'message_stop' };
}

/** @param {string} text @param {number} number */
export function pieces(text, number) {
  const at = (/** @type {number} */ index) => Math.floor((text.length * index) / number);
  return Array.from({ length: number }, (_, index) => text.slice(at(index), at(index + 1)));
}

/**
 * @param {() => void} [onCall]
 * @param {import('tenon/runtime').Model} [model]
 */
export function options(onCall, model = callingModel()) {
  return {
    runtime: embedded({ model }),
    mcpServers: { bench: echoServer({ createSdkMcpServer, tool, query }, onCall) },
    allowedTools: ['mcp__bench__echo'],
  };
}

/** @param {AsyncIterable<any>} conversation */
export async function completed(conversation) {
  let result;
  for await (const message of conversation) if (message.type === 'result') result = message;
  if (result?.subtype !== 'success') throw new Error(`The turn failed: ${JSON.stringify(result)}`);
}

export async function firstRequest() {
  /** @type {number[]} */
  const times = [];
  for (let index = 0; index < 40; index += 1) {
    let requested = 0;
    const model = scriptedModel(() => {
      requested = performance.now();
      return { text: 'hello' };
    });
    const started = performance.now();
    await completed(query({ prompt: 'hi', options: options(undefined, model) }));
    times.push(requested - started);
  }
  return { cold: times[0], warm: median(times.slice(10)) };
}

/** @param {{ number: number }} parameters */
export async function conversations({ number }) {
  const shared = options();
  await completed(query({ prompt: 'hi', options: shared }));
  const heap = await settledHeap();
  const resident = process.memoryUsage().rss;
  const open = [];
  for (let index = 0; index < number; index += 1) {
    const conversation = query({ prompt: openPrompt(), options: shared });
    await conversation.initializationResult();
    open.push(conversation);
  }
  const after = await settledHeap();
  const memory = (process.memoryUsage().rss - resident) / 1024 / number;
  for (const conversation of open) await conversation.close();
  return { memory, heap: (after - heap) / 1024 / number };
}

/** @param {{ number: number }} parameters */
export async function turns({ number }) {
  let called = 0;
  const shared = options(() => {
    called += 1;
  });
  const started = performance.now();
  for (let index = 0; index < number; index += 1) await completed(query({ prompt: 'hi', options: shared }));
  if (called !== number) throw new Error(`The tool ran ${called} times in ${number} turns.`);
  return { perSecond: (number / (performance.now() - started)) * 1000 };
}

/**
 * A long conversation: what a turn costs as the history grows.
 *
 * @param {{ number: number }} parameters
 */
export async function history({ number }) {
  const session = createSession(options());
  const times = [];
  for (let index = 0; index < number; index += 1) {
    const started = performance.now();
    await session.ask('hi');
    times.push(performance.now() - started);
  }
  await session.close();
  return { early: median(times.slice(10, 30)), late: median(times.slice(number - 30, number - 10)) };
}
