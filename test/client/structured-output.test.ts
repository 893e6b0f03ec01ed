/** A success has the structure that was asked for, however the model has wrapped it (R23, pain 39). */
import { describe, expect, it } from 'vitest';
import { isSuccess, type Options, type SDKResultMessage } from '../../src/index.js';
import { text, toolUse } from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { failOnTrouble } from '../support/fake-cli.js';

failOnTrouble();

const answer = { type: 'object', properties: { answer: { type: 'number' }, why: { type: 'string' } } };
const strict = { ...answer, required: ['answer'], additionalProperties: false };
const asking = (schema: Record<string, unknown>): Options => ({
  outputFormat: { type: 'json_schema', schema },
});
const give = (input: Record<string, unknown>) => toolUse('StructuredOutput', input);

describe.each(BACK_ENDS)('with $name', (backEnd) => {
  const run = async (script: Parameters<typeof backEnd.start>[0], options: Options) => {
    await using running = await backEnd.start(script);
    const { messages, error } = await ask(running.options(options));
    const result = messages.find((message): message is SDKResultMessage => message.type === 'result');
    return { result: result as SDKResultMessage & { structured_output?: unknown }, error };
  };

  it.each<[name: string, given: Record<string, unknown>, structure: unknown]>([
    ['as it is', { answer: 42 }, { answer: 42 }],
    ['with a part of its fields', { why: 'so' }, { why: 'so' }],
    ['in `output`', { output: { answer: 42 } }, { answer: 42 }],
    ['under another name', { result: { answer: 42, why: 'so' } }, { answer: 42, why: 'so' }],
    ['as text in `output`', { output: '{"answer":42}' }, { answer: 42 }],
    ['in something that it is not', { output: { other: 1 } }, { output: { other: 1 } }],
    ['in a text that it is not', { output: 'Forty-two.' }, { output: 'Forty-two.' }],
  ])('a structure given %s, %j, comes as %j', async (_, given, structure) => {
    const { result, error } = await run([give(given)], asking(answer));
    expect(error).toBeUndefined();
    expect(result.structured_output).toEqual(structure);
    expect(result.failure).toBeUndefined();
    expect(isSuccess(result)).toBe(true);
  });

  it('a field that happens to be called `output` is no wrapping', async () => {
    const schema = { type: 'object', properties: { output: { type: 'object' } } };
    const { result } = await run([give({ output: { output: { n: 1 } } })], asking(schema));
    expect(result.structured_output).toEqual({ output: { output: { n: 1 } } });
  });

  it('a wrapping that the schema forbids costs at most another try', async () => {
    const { result, error } = await run(
      [give({ output: { answer: 42 } }), give({ answer: 42 })],
      asking(strict),
    );
    expect(error).toBeUndefined();
    expect(result.structured_output).toEqual({ answer: 42 });
  });

  it('a result without the structure is no success, and says why', async () => {
    const { result } = await run(() => text('Forty-two.'), { ...asking(strict), throwOnErrorResult: false });
    expect(result).not.toHaveProperty('structured_output');
    expect(result.failure).toMatchObject({ kind: 'structured_output', retryable: false });
    expect(isSuccess(result)).toBe(false);
  });

  it('a prompt that a hook refuses needs no structure', async () => {
    const refuse = async () => ({ decision: 'block' as const, reason: 'Not today.' });
    const { result, error } = await run([], {
      ...asking(strict),
      hooks: { UserPromptSubmit: [{ hooks: [refuse] }] },
    });
    expect(error).toBeUndefined();
    expect(result.failure).toBeUndefined();
    expect(isSuccess(result)).toBe(true);
  });
});
