// @ts-check
/** What an adapter costs: the same bytes of the Messages API, from memory, read by `anthropic()` and by `aiSdk()`. */
import Anthropic from '@anthropic-ai/sdk';
import { query } from 'tenon';
import { aiSdk } from 'tenon/model/ai-sdk';
import { anthropic } from 'tenon/model/anthropic';
import { completed, events, options } from './runtime.mjs';

const MODEL = 'claude-opus-5-5';

/** @param {number} calls */
function answer(calls) {
  return [...events(calls, 1)]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

const ANSWERS = { call: answer(1), text: answer(0) };

/** @type {(url: unknown, init?: { body?: unknown }) => Promise<Response>} */
async function fetchFromMemory(_url, init) {
  const { messages } = JSON.parse(String(init?.body));
  const content = messages.at(-1)?.content;
  const isAnswered =
    Array.isArray(content) && content.some((/** @type {any} */ { type }) => type === 'tool_result');
  return new Response(isAnswered ? ANSWERS.text : ANSWERS.call, {
    headers: { 'content-type': 'text/event-stream' },
  });
}

/** @type {Record<string, () => Promise<import('tenon/runtime').Model>>} */
const MODELS = {
  anthropic: async () =>
    anthropic({ client: new Anthropic({ apiKey: 'test', fetch: fetchFromMemory }), model: MODEL }),
  'ai-sdk': async () => {
    const provider = new URL('../../test/providers/node_modules/anthropic-v4/dist/index.js', import.meta.url);
    const { createAnthropic } = await import(provider.href);
    return aiSdk(createAnthropic({ apiKey: 'test', fetch: fetchFromMemory })(MODEL));
  },
};

/** @param {{ adapter: string, number: number }} parameters */
export async function modelTurns({ adapter, number }) {
  const model = await MODELS[adapter]?.();
  const shared = options(undefined, model);
  const run = async (/** @type {number} */ times) => {
    for (let index = 0; index < times; index += 1) await completed(query({ prompt: 'hi', options: shared }));
  };
  await run(number / 4);
  const before = process.cpuUsage();
  await run(number);
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000 / number };
}
