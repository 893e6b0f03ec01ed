/** `anthropic()` against a scripted Messages API on the loopback interface. */
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, query, tool } from '../../src/index.js';
import { anthropic } from '../../src/models/anthropic/anthropic.js';
import { embedded } from '../../src/runtime/index.js';
import {
  apiError,
  blocks,
  delay,
  disconnect,
  type Script,
  type ScriptedMessagesApi,
  scriptedMessagesApi,
  stall,
  text,
  thinking,
  toolUse,
} from '../../src/testing/index.js';
import type { Loose } from '../runtime/support.js';

const soon = { headers: { 'retry-after': '0.01' } };

function ask(api: ScriptedMessagesApi, options: { maxRetries?: number; model?: string } = {}) {
  const add = tool('add', 'Adds', { type: 'object', properties: { a: { type: 'number' } } }, () => 42);
  const model = anthropic({ apiKey: 'test', baseURL: api.url, ...options });
  return query({
    prompt: 'What is 15 + 27?',
    options: {
      runtime: embedded({ model }),
      mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) },
      allowedTools: ['mcp__calc'],
      systemPrompt: 'Be brief.',
      throwOnErrorResult: false,
    },
  });
}

async function answer(script: Script, options: { maxRetries?: number } = {}) {
  await using api = await scriptedMessagesApi(script);
  const messages: Loose[] = [];
  for await (const message of ask(api, options)) messages.push(message as unknown as Loose);
  return {
    api,
    messages,
    result: messages.at(-1) as Loose,
    retries: messages.filter(({ subtype }) => subtype === 'api_retry'),
  };
}

describe('anthropic()', () => {
  it('streams answers and sends calls, results and thoughts back', async () => {
    const { api, result } = await answer([
      blocks([thinking('Hm.', { signature: 'signed' }), toolUse('mcp__calc__add', { a: 15 })]),
      text('It is 42.', { chunks: 3 } as never),
    ]);
    expect(result).toMatchObject({ subtype: 'success', result: 'It is 42.' });
    const [first, second] = api.requests.map(({ body }) => body);
    expect(first).toMatchObject({
      stream: true,
      system: [{ text: 'Be brief.' }],
      tools: [{ name: 'mcp__calc__add' }],
    });
    expect(JSON.stringify(second?.messages)).toContain('"signature":"signed"');
    expect(api.requests[1]?.toolResults).toMatchObject([{ content: [{ type: 'text', text: '42' }] }]);
    api.assertDone();
  });

  it('marks what can be cached: system, tools and the newest message (R45)', async () => {
    const { api } = await answer([text('Hello.')]);
    const body = api.requests[0]?.body as unknown as Record<string, { cache_control?: object }[]>;
    expect(body.system?.at(-1)).toHaveProperty('cache_control');
    expect(body.tools?.at(-1)).toHaveProperty('cache_control');
    expect(JSON.stringify(body.messages?.at(-1))).toContain('cache_control');
  });

  it('tries again after a passing failure, and says so', async () => {
    const { result, retries, api } = await answer([
      apiError(529, 'overloaded_error', 'Overloaded', soon),
      apiError(429, 'rate_limit_error', 'Slowly', soon),
      text('At last.'),
    ]);
    expect(result).toMatchObject({ result: 'At last.', is_error: false });
    expect(retries).toMatchObject([
      { attempt: 1, max_retries: 10, retry_delay_ms: 10, error_status: 529, error: 'overloaded' },
      { attempt: 2, error_status: 429, error: 'rate_limit' },
    ]);
    api.assertDone();
  });

  it('gives up after its number of tries', async () => {
    const broken = apiError(500, 'api_error', 'Broken', soon);
    const { result, retries } = await answer([broken, broken, broken], { maxRetries: 2 });
    expect(result).toMatchObject({ is_error: true, api_error_status: 500, terminal_reason: 'api_error' });
    expect(retries).toHaveLength(2);
  });

  it.each([
    [401, 'authentication_error', 'authentication_failed'],
    [400, 'invalid_request_error', 'invalid_request'],
  ])('does not try again after a %s', async (status, type, kind) => {
    const { result, retries, messages } = await answer([apiError(status, type, 'No such key.')]);
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: true,
      api_error_status: status,
      result: `API Error: ${status} No such key.`,
    });
    expect(messages.at(-2)).toMatchObject({ type: 'assistant', error: kind });
    expect(retries).toEqual([]);
  });

  it('tries again when the connection breaks before the answer begins', async () => {
    const { result, retries } = await answer([disconnect(), text('Hello.')]);
    expect(result).toMatchObject({ result: 'Hello.' });
    expect(retries).toMatchObject([{ attempt: 1, error_status: null }]);
  });

  it('does not say half an answer twice when the connection breaks in the middle of it', async () => {
    const api = await scriptedMessagesApi([
      stall(blocks([text('First.'), text('Second half.')])),
      text('Again.'),
    ]);
    const messages: Loose[] = [];
    for await (const message of ask(api)) {
      messages.push(message as unknown as Loose);
      if (message.type === 'assistant') await api.close();
    }
    expect(messages.at(-1)).toMatchObject({ is_error: true, terminal_reason: 'api_error' });
    expect(messages.filter(({ subtype }) => subtype === 'api_retry')).toEqual([]);
    expect(api.requests).toHaveLength(1);
  });

  it('stops in the middle of a stream when it is interrupted', async () => {
    await using api = await scriptedMessagesApi([stall(blocks([text('First.'), text('Second half.')]))]);
    const run = ask(api);
    for await (const message of run) {
      if (message.type === 'assistant') await run.interrupt();
      if (message.type === 'result') expect(message).toMatchObject({ terminal_reason: 'aborted_streaming' });
    }
  });

  it('stops waiting for the next try when it is interrupted', async () => {
    const overloaded = apiError(529, 'overloaded_error', 'Overloaded', { headers: { 'retry-after': '30' } });
    await using api = await scriptedMessagesApi([overloaded, delay(60_000, text('Never.'))]);
    const run = ask(api);
    for await (const message of run) {
      if (message.type === 'system' && (message.subtype as string) === 'api_retry') await run.interrupt();
      if (message.type === 'result') expect(message).toMatchObject({ terminal_reason: 'aborted_streaming' });
    }
    expect(api.requests).toHaveLength(1);
  });
});
