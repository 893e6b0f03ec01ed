// @ts-check
/**
 * What a turn costs with each adapter; what of it is the vendor's package alone, which sends the same requests, ready-made,
 * and is read to the end; and what is left with a stand-in for the package, which gives what the package has given
 * before. The answers come from memory.
 */
import Anthropic from '@anthropic-ai/sdk';
import { query } from 'tenon';
import { aiSdk } from 'tenon/model/ai-sdk';
import { anthropic } from 'tenon/model/anthropic';
import { median } from '../lib/statistics.mjs';
import { completionsAnswers, fetchFromMemory, messagesAnswers } from './answers.mjs';
import { completed, options } from './runtime.mjs';

/**
 * @typedef {import('tenon/runtime').Model} Model
 *
 * @typedef {object} Subject
 * @property {Model} model
 * @property {() => Promise<void>} alone the requests of one turn, by the package alone
 * @property {Model} without the same adapter with a stand-in for the package
 */

const MODEL = 'claude-opus-5-5';
const BLOCKS = 11;

/** @type {Record<string, (deltas: number) => Promise<Subject>>} */
const SUBJECTS = {
  anthropic: async (deltas) => anthropicSubject(fetchFromMemory(messagesAnswers(MODEL, deltas))),
  'ai-sdk-anthropic': async (deltas) => {
    const { createAnthropic } = await provider('anthropic-v4');
    const fetch = fetchFromMemory(messagesAnswers(MODEL, deltas));
    return aiSdkSubject(createAnthropic({ apiKey: 'test', fetch })(MODEL));
  },
  'ai-sdk-openai': async (deltas) => {
    const { createOpenAI } = await provider('openai-v4');
    const fetch = fetchFromMemory(completionsAnswers(deltas));
    return aiSdkSubject(createOpenAI({ apiKey: 'test', fetch }).chat('gpt-5'));
  },
  'ai-sdk-compatible': async (deltas) => {
    const { createOpenAICompatible } = await provider('compatible-v4');
    const fetch = fetchFromMemory(completionsAnswers(deltas));
    const settings = { name: 'local', baseURL: 'http://localhost/v1', includeUsage: true, fetch };
    return aiSdkSubject(createOpenAICompatible(settings)('local-model'));
  },
};

/** @param {string} name */
function provider(name) {
  return import(new URL(`../../test/providers/node_modules/${name}/dist/index.js`, import.meta.url).href);
}

/** @param {ReturnType<typeof fetchFromMemory>} fetch @returns {Promise<Subject>} */
async function anthropicSubject(fetch) {
  const client = new Anthropic({ apiKey: 'test', fetch });
  const messages = recorded((/** @type {any} */ body, /** @type {any} */ settings) =>
    client.messages.create(body, settings),
  );
  await turn(anthropic({ client: { messages: { create: messages.record } }, model: MODEL }));
  return {
    model: anthropic({ client, model: MODEL }),
    alone: async () => {
      for (const [body, settings] of messages.sent) {
        const { signal } = new AbortController();
        const events = /** @type {any} */ (await client.messages.create(body, { ...settings, signal }));
        for await (const _ of events);
      }
    },
    without: anthropic({ client: { messages: { create: messages.repeat } }, model: MODEL }),
  };
}

/** @param {any} model @returns {Promise<Subject>} */
async function aiSdkSubject(model) {
  const { specificationVersion, provider: name, modelId } = model;
  const like = { specificationVersion, provider: name, modelId };
  const parts = recorded(async (call) => (await model.doStream(call)).stream);
  const streamOf = async (/** @type {Promise<AsyncIterable<unknown>>} */ list) => ({
    stream: /** @type {any} */ (readableOf(await list)),
  });
  await turn(aiSdk({ ...like, doStream: (call) => streamOf(parts.record(call)) }));
  return {
    model: aiSdk(model),
    alone: async () => {
      for (const [call] of parts.sent) {
        const { signal } = new AbortController();
        const { stream } = await model.doStream({ ...call, abortSignal: signal });
        const reader = stream.getReader();
        while (!(await reader.read()).done);
      }
    },
    without: aiSdk({ ...like, doStream: () => streamOf(parts.repeat()) }),
  };
}

/**
 * Sends requests and remembers them and what came; or gives that again, one after the other, and sends nothing.
 *
 * @param {(...request: any[]) => Promise<any>} send
 */
function recorded(send) {
  /** @type {any[][]} */
  const sent = [];
  /** @type {any[][]} */
  const received = [];
  let next = 0;
  return {
    sent,
    record: async (/** @type {any[]} */ ...request) => {
      const list = [];
      for await (const each of await send(...request)) list.push(each);
      sent.push(request);
      received.push(list);
      return given(list);
    },
    repeat: async () => {
      next += 1;
      return given(received[(next - 1) % received.length] ?? []);
    },
  };
}

/** @param {any[]} list */
async function* given(list) {
  yield* list;
}

/** The least that a reader of streams has to be. @param {AsyncIterable<unknown>} list */
function readableOf(list) {
  const iterator = list[Symbol.asyncIterator]();
  return { getReader: () => ({ read: () => iterator.next(), cancel: async () => {} }) };
}

/** @param {Model} model */
async function turn(model) {
  await completed(query({ prompt: 'hi', options: options(undefined, model) }));
}

/**
 * The CPU of a turn, of its requests alone, and of a turn without the package: block by block in turns, in one process
 * where all of it is warm.
 *
 * @param {string} subject
 * @param {{ number: number, deltas: number }} parameters
 */
export async function modelTurns(subject, { number, deltas }) {
  const { model, alone, without } = await /** @type {any} */ (SUBJECTS[subject])(deltas);
  const [whole, ours] = [model, without].map((each) => {
    const shared = options(undefined, each);
    return () => completed(query({ prompt: 'hi', options: shared }));
  });
  /** @type {Record<string, () => Promise<void>>} */
  const work = { turn: /** @type {any} */ (whole), alone, ours: /** @type {any} */ (ours) };
  for (const each of Object.values(work)) await cpuOf(each, number / 2);
  /** @type {Record<string, number[]>} */
  const blocks = {};
  for (let block = 0; block < BLOCKS; block += 1) {
    for (const [name, each] of Object.entries(work))
      blocks[name] = [...(blocks[name] ?? []), await cpuOf(each, Math.ceil(number / BLOCKS))];
  }
  return Object.fromEntries(Object.entries(blocks).map(([name, values]) => [name, median(values)]));
}

/** @param {() => Promise<void>} work @param {number} times */
async function cpuOf(work, times) {
  const before = process.cpuUsage();
  for (let index = 0; index < times; index += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}
