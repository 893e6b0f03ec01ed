/** A model of one's own, from a function or from text (R41). */
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, query, tool } from '../../src/index.js';
import type { StreamEvent } from '../../src/protocol/wire/content.js';
import {
  embedded,
  type FunctionAnswer,
  type Model,
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

it.each([
  ['breaks off', '{"a": 1', 'The input is not valid JSON'],
  ['is a list', '[1]', 'The input must be a JSON object; it is an array'],
  ['is text', '"one"', 'The input must be a JSON object; it is a string'],
])(
  'a call whose input %s does not run: the model is told, and may call again (R6)',
  async (_, json, told) => {
    const calls: unknown[] = [];
    const requests: string[] = [];
    const note = tool('note', 'Notes', { type: 'object' }, (input) => {
      calls.push(input);
      return 'noted';
    });
    const model: Model = {
      name: 'clumsy',
      stream: (request) => {
        requests.push(JSON.stringify(request.messages));
        if (requests.length > 2) return textToEvents('Done.', { model: 'clumsy' });
        return callWith(requests.length === 1 ? json : '{"a":1}');
      },
    };
    const run = query({
      prompt: 'Go.',
      options: {
        runtime: embedded({ model }),
        mcpServers: { s: createSdkMcpServer({ name: 's', tools: [note] }) },
        allowedTools: ['mcp__s'],
      },
    });
    expect(await run.done).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(calls).toEqual([{ a: 1 }]);
    expect(requests[1]).toContain(told);
    // Every API wants an object back.
    expect(requests[1]).toContain('"input":{}');
  },
);

async function* callWith(json: string): AsyncGenerator<StreamEvent, void> {
  const events = modelFromFunction(() => ({ toolCalls: [{ name: 'mcp__s__note', input: 0 }] }));
  const context = { signal: new AbortController().signal, onRetry() {}, warn() {}, sessionId: '' };
  const request = { model: 'clumsy', max_tokens: 1, system: [], messages: [], tools: [] };
  for await (const event of events.stream(request, context)) {
    const isInput = event.type === 'content_block_delta' && event.delta.type === 'input_json_delta';
    yield isInput ? { ...event, delta: { type: 'input_json_delta', partial_json: json } } : event;
  }
}
