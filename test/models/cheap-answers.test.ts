/** What an answer must not cost, counted and not timed (R41, R33). */
import { createHook } from 'node:async_hooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { query } from '../../src/index.js';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.js';
import { anthropic } from '../../src/models/anthropic/anthropic.js';
import type { MessageParam } from '../../src/protocol/wire/content.js';
import { embedded, type Model, type ModelRequest } from '../../src/runtime/index.js';
import { messageDelta, messageStart } from '../../src/runtime/model-events.js';

afterEach(() => vi.restoreAllMocks());

const counts = {
  input_tokens: 1,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** A client of the Messages API whose answer has so many deltas. */
function clientWith(deltas: number): Model {
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } };
  async function* answer() {
    yield messageStart('m', 'msg_1');
    yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
    for (let index = 0; index < deltas; index += 1) yield delta;
    yield { type: 'content_block_stop', index: 0 };
    yield messageDelta('end_turn', counts);
    yield { type: 'message_stop' };
  }
  return anthropic({ client: { messages: { create: async () => answer() } }, model: 'm' });
}

/** A model of the AI SDK whose answer has so many deltas. */
function providerWith(deltas: number): Model {
  const doStream = async () => {
    let sent = 0;
    const stream = new ReadableStream({
      pull: (controller) => {
        sent += 1;
        if (sent === 1) controller.enqueue({ type: 'text-start', id: '0' });
        else if (sent <= deltas + 1) controller.enqueue({ type: 'text-delta', id: '0', delta: 'x' });
        else {
          controller.enqueue({ type: 'finish', finishReason: 'stop', usage: {} });
          controller.close();
        }
      },
    });
    return { stream };
  };
  return aiSdk({ specificationVersion: 'v3', provider: 'some.chat', modelId: 'm', doStream });
}

async function answered(model: Model): Promise<void> {
  const options = { runtime: embedded({ model }) };
  for await (const message of query({ prompt: 'Go.', options })) {
    if (message.type === 'result') expect(message.subtype).toBe('success');
  }
}

async function promisesOf(work: () => Promise<void>): Promise<number> {
  let promises = 0;
  const count = (_: number, type: string): void => {
    if (type === 'PROMISE') promises += 1;
  };
  const hook = createHook({ init: count }).enable();
  await work();
  hook.disable();
  return promises;
}

describe.each([
  // Those of the stream itself are among them. With a generator at each step they were 36 and 24.
  { adapter: 'aiSdk()', modelWith: providerWith, most: 9 },
  { adapter: 'anthropic()', modelWith: clientWith, most: 7 },
])('a delta through $adapter', ({ modelWith, most }) => {
  it('waits no more often than it must', async () => {
    await answered(modelWith(10));
    const few = await promisesOf(() => answered(modelWith(10)));
    const many = await promisesOf(() => answered(modelWith(1010)));
    // Whoever else runs in this process makes a few, too.
    expect(Math.round((many - few) / 1000)).toBeLessThanOrEqual(most);
  });

  it('adds no listener to the signal of its turn', async () => {
    const added = vi.spyOn(AbortSignal.prototype, 'addEventListener');
    await answered(modelWith(10));
    const few = added.mock.calls.length;
    added.mockClear();
    await answered(modelWith(1010));
    expect(few).toBeGreaterThan(0);
    expect(added.mock.calls.length).toBe(few);
  });
});

it('aiSdk() reads each message of a long history once for each request', async () => {
  let reads = 0;
  const messages = Array.from({ length: 2001 }, (_, index): MessageParam => {
    const content: MessageParam['content'] = [{ type: 'text', text: `message ${index}` }];
    return {
      role: index % 2 === 0 ? 'user' : 'assistant',
      get content() {
        reads += 1;
        return content;
      },
    };
  });
  const request: ModelRequest = { model: 'm', max_tokens: 100, system: [], messages, tools: [] };
  const signal = new AbortController().signal;
  const context = { signal, onRetry() {}, warn() {}, sessionId: 's' };
  for await (const _ of providerWith(1).stream(request, context));
  expect(reads).toBe(messages.length);
});
