/** A script that cannot be played is refused when it is given: by step, value and remedy, on both back ends alike (pain 8, wish 4). */
import { describe, expect, it } from 'vitest';
import {
  apiError,
  blocks,
  delay,
  disconnect,
  hang,
  type Script,
  ScriptError,
  ScriptedApiError,
  type ScriptStep,
  scriptedMessagesApi,
  scriptedModel,
  stall,
  text,
  thinking,
  toolUse,
  toolUses,
  UnconsumedModelStepsError,
  UnconsumedStepsError,
  UnexpectedModelCallError,
  UnexpectedRequestError,
} from '../../src/testing/index.js';
import { ask } from '../support/messages-client.js';
import { askModel } from './support.js';

const bad: [what: string, step: unknown, problem: string][] = [
  ['nothing', undefined, "undefined is not a step; write text('…'), toolUse('name', { … }) or the like"],
  [
    'an unknown kind',
    { kind: 'mesage' },
    'unknown kind "mesage"; the kinds are message, error, delay, stall, hang and disconnect',
  ],
  [
    'an unknown key',
    { txt: 'Hi' },
    'unknown key "txt" in a step; the keys are thinking, text, toolUses, usage, stopReason, error, delayMs',
  ],
  ['a bare call', { tool: 'add' }, '{"tool":"add"} is a call; write toolUse(\'name\', { … })'],
  [
    'a bare block',
    { type: 'text', text: 'Hi' },
    '{"type":"text","text":"Hi"} is a block; wrap it in blocks([…])',
  ],
  [
    'no content',
    {},
    "the message has no content; for a model that says nothing write blocks([], { stopReason: 'end_turn' })",
  ],
  [
    'no blocks',
    blocks([]),
    "the message has no content; for a model that says nothing write blocks([], { stopReason: 'end_turn' })",
  ],
  ['an empty text', text(''), 'block 1: text must be a non-empty string, not ""'],
  ['a text that is none', { text: 42 }, 'block 1: text must be a non-empty string, not 42'],
  [
    'tool in place of name',
    toolUses([{ name: 'sub' }, { tool: 'add' } as never]),
    'block 2: a call names its tool with "name": write { name: "add" }, not { tool: "add" }',
  ],
  [
    'tool beside name',
    { toolUses: [{ tool: 'add', name: 'add' }] },
    'block 1: a call names its tool with "name": write { name: "add" } and leave out tool',
  ],
  [
    'a call without a name',
    { toolUses: [{ input: {} }] },
    'block 1: name must be a non-empty string, not undefined',
  ],
  ['calls that are none', { toolUses: 'add' }, 'toolUses must be an array of calls, not "add"'],
  [
    'an input that is none',
    toolUse('add', [1] as never),
    'block 1: input must be an object of JSON values, not [1]',
  ],
  ['an input that is not JSON', toolUse('add', { a: 1n }), 'block 1: input must be an object of JSON values'],
  [
    'a block of a type that does not exist',
    blocks([{ type: 'image' } as never]),
    'block 1 must be of type text, thinking or tool_use, not {"type":"image"}',
  ],
  [
    'a block that is a step',
    blocks([text('Hi'), hang() as never]),
    'block 2 must be of type text, thinking or tool_use, not {"kind":"hang"}',
  ],
  [
    'an unknown count of tokens',
    text('Hi', { usage: { inputTokens: 3 } as never }),
    'unknown key "inputTokens" in usage; the keys are input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens',
  ],
  [
    'a count that is none',
    { text: 'Hi', usage: { output_tokens: -1 } },
    'usage.output_tokens must be a whole number of at least 0, not -1',
  ],
  [
    'no chunks',
    text('Hi', { chunks: 0 }),
    'block 1: chunks must be a whole number of at least 1 or an array of strings, not 0',
  ],
  [
    'chunks of another text',
    text('Hello', { chunks: ['Hel', 'p'] }),
    'block 1: the chunks add up to "Help", not to "Hello"',
  ],
  [
    'chunks that are not JSON',
    toolUse('add', { a: 1 }, { chunks: ['{"a"', ':'] }),
    'block 1: the chunks add up to "{\\"a\\":", which is not JSON',
  ],
  [
    'chunks of another input',
    toolUse('add', { a: 1 }, { chunks: ['{"a"', ':2}'] }),
    'block 1: the chunks add up to {"a":2}, not to the input {"a":1}',
  ],
  [
    'a pause that is none',
    text('Hi', { chunkDelayMs: -1 }),
    'block 1: chunkDelayMs must be a non-negative number of milliseconds, not -1',
  ],
  [
    'a delay that is none',
    delay('1s' as never, text('Hi')),
    'delay must be a non-negative number of milliseconds, not "1s"',
  ],
  [
    'a delay of what is no step',
    delay(1, 7 as never),
    "7 is not a step; write text('…'), toolUse('name', { … }) or the like",
  ],
  [
    'a stall in an error',
    stall(apiError(500, 'api_error', 'Broken') as never),
    "what stalls must be a message such as text('…') or toolUse('name', { … }), not {",
  ],
  [
    'a status that is no error',
    apiError(200, 'api_error', 'Fine'),
    'status must be an HTTP error status from 400 to 599, not 200',
  ],
  ['an error without a message', { error: { status: 500 } }, 'message must be a string, not undefined'],
  [
    'an error and an answer',
    { error: { message: 'Broken' }, text: 'Hi' },
    'error and text are mutually exclusive; make them two steps',
  ],
];

describe('a script', () => {
  it.each(bad)('with %s is refused, and the step is named', async (_, step, problem) => {
    const script = ['First.', step] as Script;
    const refused = catchError(() => scriptedModel(script));
    expect(refused).toBeInstanceOf(ScriptError);
    expect(refused).toMatchObject({ code: 'INVALID_SCRIPT' });
    expect(refused.message).toMatch(/^scripted model: step 2: /);
    expect(refused.message).toContain(problem);
    await expect(scriptedMessagesApi(script)).rejects.toThrow(refused.message.replace('model', 'API'));
  });

  it.each([
    ['an object', { text: 'Hi' }, '{"text":"Hi"} is not a script'],
    ['a text', 'Hi', '"Hi" is not a script'],
    ['nothing', undefined, 'undefined is not a script'],
  ])('that is %s is refused', (_, script, problem) => {
    expect(() => scriptedModel(script as never)).toThrow(problem);
    expect(() => scriptedModel(script as never)).toThrow('pass an array of steps, or a function');
  });

  it('with a hole is refused', () => {
    const script: string[] = ['One.'];
    script[2] = 'Three.';
    expect(() => scriptedModel(script)).toThrow('step 2: undefined is not a step');
  });

  it('may answer side requests only with a step', async () => {
    await expect(scriptedMessagesApi([], { sideAnswer: { txt: 'ok' } as never })).rejects.toThrow(
      'scripted API: sideAnswer: unknown key "txt" in a step',
    );
  });

  it('that is a function is checked at each answer, and what was wrong is a finding', async () => {
    const script = () => ({ toolUses: [{ name: '' }] });
    const reason =
      'the script for request 1 (last user text "hi") returned a bad step: block 1: name must be a non-empty string';
    const model = scriptedModel(script);
    await expect(askModel(model)).rejects.toThrow(`scripted model: ${reason}`);
    expect(() => model.assertDone()).toThrow(reason);
    await using api = await scriptedMessagesApi(script);
    const response = await ask(api);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('returned a bad step: block 1: name');
    expect(() => api.assertDone()).toThrow(reason);
  });
});

describe('every way to write a step', () => {
  it.each<[string, ScriptStep, ScriptStep]>([
    ['a text', 'Hi', text('Hi')],
    ['{ text }', { text: 'Hi' }, text('Hi')],
    ['{ text } in chunks', { text: ['H', 'i'] }, text('Hi', { chunks: ['H', 'i'] })],
    [
      '{ thinking, text, toolUses }',
      { thinking: 'Hm.', text: 'Hi', toolUses: [{ name: 'add', input: { a: 1 } }] },
      blocks([thinking('Hm.'), text('Hi'), toolUse('add', { a: 1 })]),
    ],
    ['{ toolUses } by tool', { toolUses: [{ tool: 'add' }] }, toolUse('add')],
    [
      '{ usage, stopReason }',
      { text: 'H', usage: { input_tokens: 1 }, stopReason: 'max_tokens' },
      text('H', { usage: { input_tokens: 1 }, stopReason: 'max_tokens' }),
    ],
    ['silence', { stopReason: 'end_turn' }, blocks([], { stopReason: 'end_turn' })],
    [
      'keys without a value',
      { text: 'Hi', usage: { input_tokens: undefined } as never, delayMs: undefined },
      text('Hi'),
    ],
  ])('%s gives the same events', async (_, short, long) => {
    const model = scriptedModel([short]);
    expect(await askModel(model)).toEqual(await askModel(scriptedModel([long])));
  });

  it.each<[string, ScriptStep, string]>([
    [
      '{ error }',
      { error: { message: 'Broken', status: 529, type: 'overloaded_error' } },
      'error 529 overloaded_error',
    ],
    ['{ error } without a status', { error: { message: 'Broken' } }, 'error api_error'],
    ['{ delayMs }', { text: 'Hi', delayMs: 5 }, 'delay 5 ms, then text "Hi"'],
    ['stall', stall(text('Hi')), 'stall in text "Hi"'],
    ['disconnect', disconnect(), 'disconnect'],
    ['silence', { stopReason: 'end_turn' }, 'empty message'],
  ])('%s has a name for people', (_, step, name) => {
    expect(() => scriptedModel([step]).assertDone()).toThrow(
      `scripted model: 1 step of the script was never used: #1 ${name}`,
    );
  });
});

function catchError(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was thrown.');
}

it('the earlier names of the errors are the same classes', () => {
  const error: ScriptedApiError = catchError(() => scriptedModel([{} as never])) as ScriptError;
  expect(error).toBeInstanceOf(ScriptedApiError);
  expect([UnconsumedModelStepsError, UnexpectedModelCallError]).toEqual([
    UnconsumedStepsError,
    UnexpectedRequestError,
  ]);
});
