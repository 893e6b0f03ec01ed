/** The scripted model: what it plays, what it records, and what it tells the author of a test (pain 8, wish 4). */
import { describe, expect, it } from 'vitest';
import { useClock } from '../../src/protocol/base/clock.js';
import { ModelError } from '../../src/runtime/index.js';
import {
  apiError,
  blocks,
  delay,
  disconnect,
  hang,
  scriptedMessagesApi,
  scriptedModel,
  stall,
  text,
  thinking,
  toolUse,
  toolUses,
  UnconsumedStepsError,
  UnexpectedRequestError,
} from '../../src/testing/index.js';
import { ask, events, user } from '../support/messages-client.js';
import { askModel } from './support.js';

describe('assertDone', () => {
  it('throws when steps are left, and when requests went beyond the script', async () => {
    const model = scriptedModel(['One.', 'Two.']);
    expect(await askModel(model)).not.toEqual([]);
    expect(() => model.assertDone()).toThrow(UnconsumedStepsError);
    expect(() => model.assertDone()).toThrow('1 step of the script was never used: #2 text "Two."');
    await askModel(model);
    model.assertDone();
    const error = await askModel(model).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UnexpectedRequestError);
    const third = 'no step left for request 3 (last user text "hi"; the script has 2 steps)';
    expect(error.message).toBe(`scripted model: ${third}`);
    expect(() => model.assertDone()).toThrow(third);
    await askModel(model, { messages: [user('still there?') as never] }).catch(() => {});
    expect(() => model.assertDone()).toThrow(
      'no step left for 2 requests (#3 last user text "hi"; #4 last user text "still there?"; the script has 2 steps)',
    );
  });

  it('names a function that returns nothing as the cause', async () => {
    const model = scriptedModel(() => undefined as never);
    const reason = 'scripted model: the script for request 1 (last user text "hi") returned nothing';
    await expect(askModel(model)).rejects.toThrow(reason);
    expect(() => model.assertDone()).toThrow(reason);
  });
});

describe('a request', () => {
  it('is recorded as the scripted API records it, with the same helpers', async () => {
    const results = [
      { type: 'tool_result', tool_use_id: 'toolu_0001', content: 'first' },
      { type: 'tool_result', tool_use_id: 'toolu_0002', content: [{ type: 'text', text: 'second' }] },
    ];
    const body = {
      model: 'claude-test',
      max_tokens: 7,
      system: [{ type: 'text' as const, text: 'Be brief.' }],
      messages: [
        user('What is it?'),
        { role: 'assistant', content: [] },
        user([results[0]]),
        { role: 'assistant', content: [] },
        user([results[1]]),
      ] as never,
      tools: [{ name: 'look', description: 'Looks', input_schema: {} }],
    };
    const model = scriptedModel(['Yes.']);
    await askModel(model, body);
    await using api = await scriptedMessagesApi(['Yes.']);
    await ask(api, body);
    for (const [recorded] of [model.requests, api.requests]) {
      expect(recorded).toMatchObject({
        index: 0,
        body,
        model: 'claude-test',
        messages: body.messages,
        tools: body.tools,
        toolNames: ['look'],
        system: 'Be brief.',
        lastUserText: 'What is it?',
        toolResults: [results[1]],
      });
      expect(recorded?.toolResult('toolu_0001')).toEqual(results[0]);
      expect(recorded?.toolResult('toolu_0002')).toEqual(results[1]);
      expect(recorded?.toolResult('toolu_0003')).toBeUndefined();
      expect(Object.isFrozen(recorded) && Object.isFrozen(recorded?.body.messages[0])).toBe(true);
    }
    expect(model.requests[0]?.headers).toEqual({});
  });

  it('can be waited for', async () => {
    const model = scriptedModel(['One.', hang()]);
    const second = model.waitForRequest(1);
    const named = model.waitForRequest(({ lastUserText }) => lastUserText === 'more');
    await askModel(model);
    const abort = new AbortController();
    const asked = askModel(model, { messages: [user('more') as never] }, abort.signal);
    expect(await second).toBe(model.requests[1]);
    expect(await named).toBe(model.requests[1]);
    abort.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect(model.waitForRequest(2, { timeout: 1 })).rejects.toThrow(
      'scripted model: request 3 did not arrive (waited 1 ms; 2 arrived)',
    );
  });
});

describe('an answer', () => {
  it('is streamed with the same events as by the scripted API', async () => {
    const script = [
      blocks([
        thinking('Let me see.', { chunks: 3, signature: 'sig-1' }),
        text(['It ', 'is ', '42.']),
        toolUse('add', { a: 15, text: '😀😀' }, { chunks: 6 }),
      ]),
      toolUses([{ name: 'add' }, { name: 'sub', id: 'toolu_mine', chunks: 2 }], {
        usage: { input_tokens: 3 },
      }),
      text('Cut', { stopReason: 'max_tokens', usage: { output_tokens: 0 } }),
    ];
    const model = scriptedModel(script);
    await using api = await scriptedMessagesApi(script);
    for (const _ of script) {
      const received = await events(await ask(api, { stream: true }));
      expect(await askModel(model)).toEqual(received.filter(({ type }) => type !== 'ping'));
    }
  });

  it.each([1, 2, 3, 4, 5, 7, 9, 10, 40])(
    'of ten characters in %i chunks has as many, or ten',
    async (chunks) => {
      const model = scriptedModel([text('0123456789', { chunks })]);
      const deltas = (await askModel(model)).flatMap((event) =>
        event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? [event.delta.text] : [],
      );
      expect(deltas).toHaveLength(Math.min(chunks, 10));
      expect(deltas.join('')).toBe('0123456789');
      expect(Math.max(...deltas.map(({ length }) => length))).toBe(Math.ceil(10 / chunks));
    },
  );

  it('waits for the clock before it begins and between its chunks, and nowhere else', async () => {
    const waits: number[] = [];
    const restore = useClock({
      now: () => 0,
      monotonic: () => 0,
      setTimeout: (callback, milliseconds) => {
        waits.push(milliseconds);
        return globalThis.setTimeout(callback, 0);
      },
      clearTimeout: (timer) => globalThis.clearTimeout(timer),
      setInterval: () => 0 as never,
      clearInterval: () => {},
      setImmediate: (callback) => void globalThis.setImmediate(callback),
      random: () => 0,
      uuid: () => '0-0-0-0-0',
    });
    try {
      const step = blocks([text('abc', { chunks: 3, chunkDelayMs: 40_000 }), toolUse('add', { a: 1 })]);
      const model = scriptedModel([delay(90_000, step)]);
      const before = new Map<string, number>();
      await askModel(model, {}, undefined, (event) => {
        if (event.type === 'content_block_delta') before.set(JSON.stringify(event.delta), waits.length);
      });
      expect(waits).toEqual([90_000, 40_000, 40_000]);
      expect([...before.values()]).toEqual([1, 2, 3, 3]);
    } finally {
      restore();
    }
  });

  it.each([
    ['an error', apiError(529, 'overloaded_error', 'Overloaded'), { status: 529, type: 'overloaded_error' }],
    ['an error without a status', { error: { message: 'Broken' } }, { status: undefined, type: 'api_error' }],
    ['a lost connection', disconnect(), { status: undefined, message: 'Connection error.' }],
  ])('that is %s is a ModelError', async (_, step, expected) => {
    const error = await askModel(scriptedModel([step])).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject(expected);
  });

  it.each([
    ['delayed', delay(60_000, text('Late.')), []],
    ['hanging', hang(), []],
    ['stalled', stall(blocks([text('one'), text('abcd', { chunks: 4 })])), ['one', 'a', 'b']],
    ['slow', text('ab', { chunks: 2, chunkDelayMs: 60_000 }), ['a']],
  ])('that is %s ends with the turn', async (_, step, expected) => {
    const model = scriptedModel([step]);
    const abort = new AbortController();
    const texts: string[] = [];
    const asked = askModel(model, {}, abort.signal, (event) => {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
        texts.push(event.delta.text);
      if (texts.length === expected.length) abort.abort(new Error('interrupted'));
    });
    await model.waitForRequest(0);
    if (expected.length === 0) abort.abort(new Error('interrupted'));
    await expect(asked).rejects.toThrow('interrupted');
    expect(texts).toEqual(expected);
    model.assertDone();
  });
});
