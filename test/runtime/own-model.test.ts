/** A model of one's own, from a function or from text (R41). */
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, query, tool } from '../../src/index.js';
import {
  embedded,
  type FunctionAnswer,
  ModelError,
  modelFromFunction,
  textToEvents,
} from '../../src/runtime/index.js';

const calc = createSdkMcpServer({ name: 'calc', tools: [tool('add', 'Adds', {}, () => 'three')] });

async function answers(given: FunctionAnswer[], partial = false) {
  const requests: unknown[] = [];
  const model = modelFromFunction((request) => {
    requests.push(structuredClone(request.messages));
    return given[requests.length - 1] ?? 'The end.';
  });
  const messages = [];
  for await (const message of query({
    prompt: 'Go.',
    options: {
      runtime: embedded({ model }),
      mcpServers: { calc },
      allowedTools: ['mcp__calc'],
      includePartialMessages: partial,
      throwOnErrorResult: false,
    },
  })) {
    messages.push(message);
  }
  return { requests, messages, result: messages.at(-1) };
}

describe('modelFromFunction()', () => {
  it('answers with text', async () => {
    expect((await answers(['Hello.'])).result).toMatchObject({ subtype: 'success', result: 'Hello.' });
  });

  it('streams text in pieces', async () => {
    async function* pieces() {
      yield 'Hel';
      yield 'lo.';
    }
    const { messages, result } = await answers([pieces()], true);
    expect(result).toMatchObject({ result: 'Hello.' });
    const deltas = messages.flatMap((message) =>
      message.type === 'stream_event' && message.event.type === 'content_block_delta'
        ? [message.event.delta]
        : [],
    );
    expect(deltas).toEqual([
      { type: 'text_delta', text: 'Hel' },
      { type: 'text_delta', text: 'lo.' },
    ]);
  });

  it('calls tools, reads what they returned, and counts tokens', async () => {
    const { requests, result } = await answers([
      {
        text: 'Adding.',
        toolCalls: [{ name: 'mcp__calc__add' }],
        usage: { input_tokens: 7, output_tokens: 3 },
      },
      { text: 'Three.', usage: { input_tokens: 9 } },
    ]);
    expect(result).toMatchObject({ result: 'Three.', usage: { input_tokens: 16, output_tokens: 3 } });
    expect(JSON.stringify(requests[1])).toContain('three');
  });

  it('that throws a ModelError fails like an API', async () => {
    const model = modelFromFunction(() => {
      throw new ModelError('Too many.', { status: 429 });
    });
    const run = query({
      prompt: 'Go.',
      options: { runtime: embedded({ model }), throwOnErrorResult: false },
    });
    expect(await run.done).toMatchObject({ is_error: true, failure: { kind: 'rate_limit', status: 429 } });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['an object without text and calls', { answer: 'Hello.' }],
  ])('that returns %s says what it should return', async (_, given) => {
    const model = modelFromFunction(() => given as unknown as string);
    const run = query({
      prompt: 'Go.',
      options: { runtime: embedded({ model }), throwOnErrorResult: false },
    });
    const { failure } = await run.done;
    expect(failure?.message).toContain('Return text, an async iterable of text, or { text, toolCalls }.');
  });

  it('needs a function', () => {
    expect(() => modelFromFunction('gpt' as never)).toThrow(/`answer` must be a function/);
  });
});

it('textToEvents() makes the events of a whole answer', async () => {
  const types: string[] = [];
  for await (const { type } of textToEvents('Hello.', { model: 'mine' })) types.push(type);
  expect(types).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});
