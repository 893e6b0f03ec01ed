/** How requests fail, with the real provider packages (R41). */
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/index.js';
import { type AiSdkLanguageModel, aiSdk } from '../../../src/models/ai-sdk/ai-sdk.js';
import { embedded, ModelError, type ModelRequest } from '../../../src/runtime/index.js';
import { CELLS } from './providers.js';
import { converse } from './support.js';
import { wireServer } from './wire-server.js';

/** What each vendor says when the prompt does not fit into the window. */
const OVERFLOWS: Readonly<Record<string, { body: object; words: string }>> = {
  openai: {
    words: "This model's maximum context length is 128000 tokens.",
    body: {
      error: {
        message: "This model's maximum context length is 128000 tokens.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  },
  anthropic: {
    words: 'prompt is too long: 210000 tokens > 200000 maximum',
    body: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      },
    },
  },
  google: {
    words: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    body: {
      error: {
        code: 400,
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        status: 'INVALID_ARGUMENT',
      },
    },
  },
  'amazon-bedrock': {
    words: 'Input is too long for requested model.',
    body: { message: 'Input is too long for requested model.' },
  },
};

const overflowOf = (provider: string) =>
  OVERFLOWS[provider.startsWith('openai') ? 'openai' : provider] as { body: object; words: string };

const REQUEST: ModelRequest = { model: 'm', max_tokens: 10, system: [], messages: [], tools: [] };

const context = (warnings: string[] = []) => ({
  signal: new AbortController().signal,
  onRetry: () => {},
  warn: (text: string) => warnings.push(text),
  sessionId: 'session',
});

describe.each(CELLS)('$provider, specification $version (R41)', (cell) => {
  it('waits as long as the server asks after a 429, says why, and goes on', async () => {
    const { body } = overflowOf(cell.provider);
    const { messages, result, requests } = await converse(
      cell,
      [{ status: 429, body, headers: { 'retry-after': '0.02' } }, { text: ['At last.'] }],
      { adapter: { maxRetries: 3 } },
    );
    expect(result).toMatchObject({ is_error: false, result: 'At last.' });
    expect(requests).toHaveLength(2);
    expect(messages.filter(({ subtype }) => subtype === 'api_retry')).toMatchObject([
      {
        attempt: 1,
        max_retries: 3,
        retry_delay_ms: 20,
        error_status: 429,
        error: 'rate_limit',
        reason: overflowOf(cell.provider).words,
      },
    ]);
  });

  it('passes on the status and the words of a 400, and does not try again', async () => {
    const { body, words } = overflowOf(cell.provider);
    const { result, requests } = await converse(cell, [{ status: 400, body }], {
      adapter: { maxRetries: 3 },
    });
    expect(requests).toHaveLength(1);
    expect(result).toMatchObject({
      is_error: true,
      api_error_status: 400,
      result: `API Error: 400 ${words}`,
      failure: { kind: 'invalid_request', status: 400, retryable: false },
    });
  });

  it('throws a ModelError with the status', async () => {
    const { body, words } = overflowOf(cell.provider);
    await using server = await wireServer([{ status: 400, body }]);
    const model = aiSdk(await cell.model(server.url), { name: 'm' });
    const read = async () => {
      const messages = [{ role: 'user' as const, content: 'Go.' }];
      for await (const _ of model.stream({ ...REQUEST, messages }, context()));
    };
    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ status: 400, message: words });
  });

  it('tries again when nobody answers, and then names the failure', async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    const model = aiSdk(await cell.model(`http://127.0.0.1:${port}`), { maxRetries: 1 });
    const messages = [];
    const options = { runtime: embedded({ model }), throwOnErrorResult: false };
    for await (const message of query({ prompt: 'Go.', options })) messages.push(message);
    expect(
      messages.filter((message) => 'subtype' in message && message.subtype === 'api_retry'),
    ).toMatchObject([{ attempt: 1, error_status: null, reason: expect.stringMatching(/connect|fetch/i) }]);
    expect(messages.at(-1)).toMatchObject({ is_error: true, result: expect.stringMatching(/ECONNREFUSED/) });
  });

  it('says once that it cannot do what is asked', async () => {
    const { messages, result } = await converse(
      cell,
      [{ calls: [{ id: 'call_1', name: 'mcp__s__say', input: {} }] }, { text: ['Done.'] }],
      { options: { betas: ['context-1m-2025-08-07'] } },
    );
    expect(result).toMatchObject({ is_error: false });
    const said = messages.filter(
      ({ subtype, content }) => subtype === 'informational' && /betas/.test(`${content}`),
    );
    expect(said).toHaveLength(cell.provider === 'anthropic' ? 0 : 1);
  });
});

describe('aiSdk() (R41)', () => {
  const model: AiSdkLanguageModel = {
    specificationVersion: 'v3',
    provider: 'some.chat',
    modelId: 'some-model',
    doStream: () => Promise.reject(new Error('Never asked.')),
  };

  it.each([
    ['a name', 'gpt-5', /"gpt-5" is a name.*openai\('gpt-5'\)/],
    ['nothing', undefined, /it is undefined/],
    ['null', null, /it is object/],
    ['a provider', () => model, /expected a language model/],
    ['an old specification', { ...model, specificationVersion: 'v1' }, /specification v1/],
    ['a newer specification', { ...model, specificationVersion: 'v9' }, /specification v9/],
    ['an embedding model', { specificationVersion: 'v3', doEmbed: () => {} }, /expected a language model/],
  ])('refuses %s at the door', (_, given, message) => {
    expect(() => aiSdk(given as never)).toThrow(message);
    expect(() => aiSdk(model, { models: { other: given as never } })).toThrow(/models.*other/);
  });

  it('knows its own name and those of `models`, and names them when asked for another', async () => {
    const runtime = embedded({ model: aiSdk(model, { models: { other: model } }) });
    const unknown = { runtime, model: 'gpt-6' };
    expect(() => query({ prompt: 'Go.', options: unknown })).toThrow(/does not know the name "gpt-6"/);
    const read = async () => {
      for await (const _ of aiSdk(model, { models: { other: model } }).stream(REQUEST, context()));
    };
    await expect(read()).rejects.toThrow(/does not know the model "m". It knows some-model, other/);
  });

  it('tries again when an answer begins with an error of an overloaded server', async () => {
    let calls = 0;
    const stream = (parts: object[]): ReadableStream<unknown> =>
      new ReadableStream({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
    const flaky: AiSdkLanguageModel = {
      ...model,
      doStream: async () => {
        calls += 1;
        const error = { type: 'overloaded_error', message: 'Overloaded' };
        if (calls === 1) return { stream: stream([{ type: 'error', error }]) };
        const finish = { type: 'finish', finishReason: { unified: 'stop' }, usage: {} };
        return {
          stream: stream([
            { type: 'text-start', id: '0' },
            { type: 'text-delta', id: '0', delta: 'Hello.' },
            { type: 'text-end', id: '0' },
            finish,
          ]),
        };
      },
    };
    const retries: unknown[] = [];
    const onRetry = (retry: unknown): void => void retries.push(retry);
    const seen: string[] = [];
    const own = { ...REQUEST, model: 'some-model' };
    for await (const { type } of aiSdk(flaky).stream(own, { ...context(), onRetry })) seen.push(type);
    expect(seen.at(-1)).toBe('message_stop');
    expect(retries).toMatchObject([{ status: 529, error: 'overloaded', reason: 'Overloaded' }]);
  });
});
