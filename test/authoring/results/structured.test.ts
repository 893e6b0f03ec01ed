/** Output schemas: the handler's value is checked and goes out as structure and as text (R4, pain 22). */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { content, createSdkMcpServer, type InputSchema, tool } from '../../../src/index.js';
import { failure, resultOf } from './handler.js';

const PIXEL = content.image(Buffer.from('\x89PNG....', 'latin1'));
const answer = { outputSchema: { answer: z.number() } };
const both = {
  content: [{ type: 'text', text: '{"answer":42}' }],
  structuredContent: { answer: 42 },
};

describe('a value', () => {
  test.each<[string, InputSchema]>([
    ['a raw shape', { answer: z.number() }],
    ['zod 4', z.object({ answer: z.number() })],
    ['zod 3', z3.object({ answer: z3.number() })],
    ['Valibot', toStandardJsonSchema(v.object({ answer: v.number() }))],
    ['ArkType', type({ answer: 'number' })],
    [
      'plain JSON Schema',
      { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] },
    ],
  ])('is checked by %s', async (_, outputSchema) => {
    expect(await resultOf(() => ({ answer: 42 }), { outputSchema })).toEqual(both);
    expect(await resultOf(() => ({ answer: 'forty-two' }), { outputSchema })).toEqual(
      failure(
        expect.stringMatching(/^The tool's result does not match its output schema: .*answer/) as never,
      ),
    );
    expect(await resultOf(() => 'forty-two', { outputSchema })).toMatchObject({ isError: true });
    expect(await resultOf(() => undefined, { outputSchema })).toMatchObject({ isError: true });
  });

  test('goes out as the schema leaves it: defaults and transforms applied, more keys dropped', async () => {
    const outputSchema = z.object({
      unit: z.string().default('km'),
      length: z.string().transform((text) => text.length),
      at: z.date(),
    });
    const result = await resultOf(() => ({ length: 'four', at: new Date(0), more: 1 }), { outputSchema });
    const structuredContent = { unit: 'km', length: 4, at: '1970-01-01T00:00:00.000Z' };
    expect(result).toEqual({
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    });
  });

  test('that has a list named `content` is a value all the same', async () => {
    const outputSchema = { content: z.array(z.string()) };
    for (const value of [{ content: ['a', 'b'] }, { content: [] }]) {
      expect(await resultOf(() => value, { outputSchema })).toMatchObject({ structuredContent: value });
    }
  });
});

describe('a whole result', () => {
  test('has its structure checked, and says it in words where it says nothing', async () => {
    expect(await resultOf(() => ({ content: [], structuredContent: { answer: 42 } }), answer)).toEqual(both);
    expect(await resultOf(() => ({ content: [], structuredContent: { answer: 'x' } }), answer)).toMatchObject(
      {
        isError: true,
      },
    );
    expect(await resultOf(() => ({ content: [content.text('42')] }), answer)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/does not match its output schema/) }],
    });
  });

  test('that is a failure needs no structure', async () => {
    expect(await resultOf(() => ({ content: [content.text('no')], isError: true }), answer)).toEqual(
      failure('no'),
    );
    expect(
      await resultOf(() => {
        throw new Error('no');
      }, answer),
    ).toEqual(failure('no'));
  });

  test('keeps its own words and images, for clients that show both', async () => {
    const whole = {
      content: [content.text('forty-two'), PIXEL],
      structuredContent: { answer: 42 },
      _meta: { mine: 1 },
    };
    expect(await resultOf(() => whole, answer)).toEqual(whole);
    expect(await resultOf(() => whole)).toEqual(whole);
  });
});

describe('for the CLI, which shows the model only the structure (pain 22)', () => {
  test('structure with nothing beside it stays structure', async () => {
    expect(await resultOf(() => ({ answer: 42 }), answer, 'claude-code')).toEqual(both);
    // A text that says the same, written otherwise, is no loss.
    const pretty = { content: [content.text('{ "answer": 42 }')], structuredContent: { answer: 42 } };
    expect(await resultOf(() => pretty, answer, 'claude-code')).toEqual(pretty);
  });

  test('other words and images survive: the structure is one more text, and whole in _meta', async () => {
    const structuredContent = { answer: 42 };
    const whole = { content: [content.text('forty-two'), PIXEL], structuredContent, _meta: { mine: 1 } };
    expect(await resultOf(() => whole, answer, 'claude-code')).toEqual({
      content: [content.text('forty-two'), PIXEL, content.text('{"answer":42}')],
      _meta: { mine: 1, 'tenon/structuredContent': structuredContent },
    });
    // Said already: not said twice.
    const said = { content: [content.text('{"answer":42}'), PIXEL], structuredContent };
    expect(await resultOf(() => said, answer, 'claude-code')).toEqual({
      content: [content.text('{"answer":42}'), PIXEL],
      _meta: { 'tenon/structuredContent': structuredContent },
    });
  });
});

test('the listed output schema describes what is sent, not what the handler returns', async () => {
  const outputSchema = z.object({
    unit: z.string().default('km'),
    length: z.string().pipe(z.coerce.number()),
  });
  const length = tool('length', 'd', {}, () => ({ length: '4' }), { outputSchema });
  const [listed] = await createSdkMcpServer({ name: 's', tools: [length] }).instance.listTools();
  expect(listed?.outputSchema).toMatchObject({
    type: 'object',
    properties: { unit: { type: 'string' }, length: { type: 'number' } },
    required: ['unit', 'length'],
  });
});
