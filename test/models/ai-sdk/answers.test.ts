/** What models answer, with the real provider packages (R41). */
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/index.js';
import { aiSdk } from '../../../src/models/ai-sdk/ai-sdk.js';
import { embedded } from '../../../src/runtime/index.js';
import type { Loose } from '../../runtime/support.js';
import { CELLS } from './providers.js';
import { converse } from './support.js';
import { wireServer } from './wire-server.js';

const say = (id: string, words: string) => ({ id, name: 'mcp__s__say', input: { words } });

describe.each(CELLS)('$provider, specification $version (R41)', (cell) => {
  it('streams text piece by piece, after the system prompt', async () => {
    const { messages, result, requests } = await converse(cell, [{ text: ['It ', 'is ', '42.'] }], {
      options: { includePartialMessages: true, systemPrompt: 'Be very brief.' },
    });
    expect(result).toMatchObject({ subtype: 'success', is_error: false, result: 'It is 42.' });
    const deltas = messages.flatMap(({ type, event }) => {
      const { delta } = (type === 'stream_event' ? event : {}) as { delta?: { text?: string } };
      return delta?.text === undefined ? [] : [delta.text];
    });
    expect(deltas.filter((delta) => delta !== '')).toEqual(['It ', 'is ', '42.']);
    expect(JSON.stringify(requests[0]?.body)).toContain('Be very brief.');
  });

  it('calls one tool, and then two at once, and gets each result to its call', async () => {
    const { result, calls, requests } = await converse(cell, [
      { text: ['Let me see.'], calls: [say('call_1', 'one')] },
      { calls: [say('call_2', 'two'), say('call_3', 'three')] },
      { text: ['Done.'] },
    ]);
    expect(result).toMatchObject({ is_error: false, result: 'Done.' });
    expect(calls).toEqual(['{"words":"one"}', '{"words":"two"}', '{"words":"three"}']);
    const last = JSON.stringify(requests[2]?.body);
    expect(last.match(/Said\./g)).toHaveLength(3);
    // Gemini pairs calls and results by their order; OpenAI keeps calls, and gets a reference to some.
    if (cell.provider === 'google' || cell.provider === 'openai responses') return;
    for (const words of ['one', 'two', 'three']) expect(last).toContain(words);
    for (const id of ['call_1', 'call_2', 'call_3']) expect(last.split(`"${id}"`)).toHaveLength(3);
  });

  it('gives the counts of tokens, apart by what came from the cache and what went there', async () => {
    const usage = { fresh: 100, read: 900, output: 7 };
    const writes = cell.provider === 'anthropic' || cell.provider === 'amazon-bedrock';
    const { result } = await converse(cell, [
      { text: ['Hello.'], usage: { ...usage, ...(writes ? { written: 50 } : {}) } },
    ]);
    expect(result.usage).toMatchObject({
      input_tokens: 100,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: writes ? 50 : 0,
      output_tokens: 7,
    });
  });

  it.each([
    ['length', 'max_tokens'],
    ['filter', 'refusal'],
  ] as const)('says why an answer ended: %s', async (stop, expected) => {
    const { messages, result } = await converse(cell, [{ text: ['It is'], stop }]);
    expect(result).toMatchObject({ stop_reason: expected });
    expect(messages.find(({ type }) => type === 'assistant')).toBeDefined();
  });

  it('gives structured output through a call', async () => {
    const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
    const { result, requests } = await converse(
      cell,
      [{ calls: [{ id: 'call_1', name: 'StructuredOutput', input: { sum: 42 } }] }, { text: ['Done.'] }],
      { options: { outputFormat: { type: 'json_schema', schema } } },
    );
    expect(result).toMatchObject({ is_error: false, structured_output: { sum: 42 } });
    expect(JSON.stringify(requests[0]?.body)).toContain('StructuredOutput');
  });

  it('closes the connection when it is interrupted in the middle of a stream', async () => {
    await using server = await wireServer([{ hold: { text: ['First ', 'half'] } }, { text: ['Again.'] }]);
    const runtime = embedded({ model: aiSdk(await cell.model(server.url)) });
    const run = query({
      prompt: 'Go.',
      options: { runtime, includePartialMessages: true, throwOnErrorResult: false },
    });
    let result: Loose | undefined;
    for await (const message of run as AsyncIterable<unknown> as AsyncIterable<Loose>) {
      if (JSON.stringify(message).includes('First')) void run.interrupt();
      if (message.type === 'result') result = message;
    }
    expect(result).toMatchObject({ terminal_reason: 'aborted_streaming', failure: { kind: 'interrupted' } });
    await expect.poll(() => server.cutOff).toBe(1);
    expect(server.requests).toHaveLength(1);
  });
});
