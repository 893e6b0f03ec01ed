import { describe, expect, it } from 'vitest';
import {
  apiError,
  blocks,
  delay,
  disconnect,
  hang,
  scriptedMessagesApi,
  stall,
  text,
  thinking,
  toolUse,
  toolUses,
} from '../../src/testing/index.js';
import { ask, events, parseEvents, readUntilSilent } from '../support/messages-client.js';
import { waitUntil } from '../support/real-cli.js';

describe('messages', () => {
  it('answers without streaming with one JSON message', async () => {
    await using api = await scriptedMessagesApi([text('Hello')]);
    const response = await ask(api);
    expect(response.headers.get('request-id')).toBe('req_0001');
    expect(await response.json()).toEqual({
      id: 'msg_0001',
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 10,
        output_tokens: 20,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    });
    api.assertDone();
  });

  it('streams a text in as many deltas as asked for, never through the middle of a character', async () => {
    await using api = await scriptedMessagesApi([text('a😀b😀', { chunks: 4 })]);
    const response = await ask(api, { stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const received = await events(response);
    expect(received.map((event) => event.type)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(received.flatMap((event) => event.delta?.text ?? [])).toEqual(['a', '😀', 'b', '😀']);
    expect(received.at(-2)).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 20 },
    });
  });

  it('streams the input of a tool call as JSON text', async () => {
    await using api = await scriptedMessagesApi([toolUse('add', { a: 1, b: 2 }, { chunks: 3 })]);
    const received = await events(await ask(api, { stream: true }));
    expect(received[2]).toEqual({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'toolu_0001', name: 'add', input: {} },
    });
    const parts = received.flatMap((event) => event.delta?.partial_json ?? []);
    expect(parts).toHaveLength(3);
    expect(JSON.parse(parts.join(''))).toEqual({ a: 1, b: 2 });
    expect(received.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });

  it('calls several tools in one message and numbers them through the conversation', async () => {
    await using api = await scriptedMessagesApi([
      toolUses([{ name: 'add', input: { a: 1 } }, { name: 'sub', id: 'toolu_mine' }, { name: 'mul' }]),
      toolUse('add'),
    ]);
    const first = await events(await ask(api, { stream: true }));
    const started = first.filter((event) => event.type === 'content_block_start');
    expect(started.map((event) => event.content_block)).toEqual([
      { type: 'tool_use', id: 'toolu_0001', name: 'add', input: {} },
      { type: 'tool_use', id: 'toolu_mine', name: 'sub', input: {} },
      { type: 'tool_use', id: 'toolu_0002', name: 'mul', input: {} },
    ]);
    expect(await (await ask(api)).json()).toMatchObject({ id: 'msg_0002', content: [{ id: 'toolu_0003' }] });
  });

  it('mixes thinking, text and calls in the order given, streamed or not', async () => {
    const step = blocks([thinking('Hm.'), text('Let me see.'), toolUse('look', { at: 'it' })]);
    await using api = await scriptedMessagesApi([step, step]);
    const whole = await (await ask(api)).json();
    expect(whole).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'scripted-signature' },
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', name: 'look', input: { at: 'it' } },
      ],
      stop_reason: 'tool_use',
    });
    const deltas = (await events(await ask(api, { stream: true }))).filter(
      (event) => event.delta !== undefined,
    );
    expect(deltas.map((event) => event.delta?.type)).toEqual([
      'thinking_delta',
      'signature_delta',
      'text_delta',
      'input_json_delta',
      undefined,
    ]);
  });

  it('reports the usage and the stop reason that the step gives', async () => {
    const step = text('cut', {
      usage: { input_tokens: 7, cache_read_input_tokens: 3 },
      stopReason: 'max_tokens',
    });
    await using api = await scriptedMessagesApi([step, step]);
    const expected = { input_tokens: 7, output_tokens: 20, cache_read_input_tokens: 3 };
    expect(await (await ask(api)).json()).toMatchObject({ stop_reason: 'max_tokens', usage: expected });
    const received = await events(await ask(api, { stream: true }));
    expect(received[0]).toMatchObject({
      message: { usage: { ...expected, output_tokens: 1 }, stop_reason: null },
    });
    expect(received.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' }, usage: expected });
  });
});

describe('failures and waits', () => {
  it('answers an error with its status, body and headers', async () => {
    await using api = await scriptedMessagesApi([
      apiError(429, 'rate_limit_error', 'Slow down', { headers: { 'retry-after': '3' } }),
    ]);
    const response = await ask(api, { stream: true });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'Slow down' },
    });
  });

  it('waits before a delayed answer', async () => {
    await using api = await scriptedMessagesApi([delay(80, text('late'))]);
    const start = performance.now();
    expect(await (await ask(api)).json()).toMatchObject({ content: [{ text: 'late' }] });
    expect(performance.now() - start).toBeGreaterThanOrEqual(75);
  });

  it('ends a delay early when the client goes away, and serves the next request', async () => {
    await using api = await scriptedMessagesApi([delay(60_000, text('late')), text('next')]);
    const abort = new AbortController();
    const pending = ask(api, {}, { signal: abort.signal });
    await api.waitForRequest(0);
    abort.abort();
    await expect(pending).rejects.toThrow('aborted');
    expect(await (await ask(api)).json()).toMatchObject({ id: 'msg_0001', content: [{ text: 'next' }] });
  });

  it('survives a client that aborts in the middle of a long stream', async () => {
    await using api = await scriptedMessagesApi([text('x'.repeat(4_000_000), { chunks: 50 }), text('next')]);
    const abort = new AbortController();
    const response = await ask(api, { stream: true }, { signal: abort.signal });
    await response.body!.getReader().read();
    abort.abort();
    expect(await (await ask(api)).json()).toMatchObject({ content: [{ text: 'next' }] });
    api.assertDone();
  });

  it('never answers a hanging request, and close returns all the same', async () => {
    const api = await scriptedMessagesApi([hang()]);
    const pending = ask(api).catch((error: unknown) => error);
    await api.waitForRequest(0);
    await api.close();
    await api.close();
    expect(await pending).toBeInstanceOf(TypeError);
  });

  it('stalls after the first half of the last block', async () => {
    await using api = await scriptedMessagesApi([stall(blocks([text('one'), text('abcd', { chunks: 4 })]))]);
    const received = parseEvents(await readUntilSilent(await ask(api, { stream: true }), /"b"/));
    expect(received.flatMap((event) => event.delta?.text ?? [])).toEqual(['one', 'a', 'b']);
    expect(received.filter((event) => event.type === 'content_block_stop')).toHaveLength(1);
  });

  it('stalls in the middle of the JSON when nothing is streamed', async () => {
    await using api = await scriptedMessagesApi([stall(text('never whole'))]);
    const received = await readUntilSilent(await ask(api), /^{"id":"msg_0001"/);
    expect(received).toMatch(/^{"id":"msg_0001"/);
    expect(received).not.toMatch(/}$/);
  });

  it('destroys the connection on disconnect', async () => {
    await using api = await scriptedMessagesApi([disconnect()]);
    await expect(ask(api)).rejects.toThrow('fetch failed');
  });
});

it('holds no socket and no server open after close', async () => {
  const open = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
  const before = open();
  const api = await scriptedMessagesApi([delay(60_000, text('late'))]);
  const pending = ask(api).catch(() => {});
  await api.waitForRequest(0);
  expect(open()).toBeGreaterThan(before);
  await api.close();
  await pending;
  await waitUntil(() => open() <= before, { what: 'the end of every socket' });
});
