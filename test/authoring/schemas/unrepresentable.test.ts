/** What cannot be said in JSON Schema is an error at definition, with tool and place, and never an empty schema (pain 4). */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import { createSdkMcpServer, type InputSchema, type ListedTool, tool } from '../../../src/index.js';
import { McpWire } from '../../support/mcp-wire.js';
import { probe } from './probe.js';

const define = (schema: unknown) => () => tool('bad_tool', 'd', schema as InputSchema, () => '');

describe.each<[string, unknown]>([
  ['zod 4', z],
  ['zod/mini', mini],
  ['zod 3', z3],
])('%s', (_, library) => {
  const lib = library as typeof z;

  test.each<[string, () => unknown]>([
    ['bigint', () => lib.bigint()],
    ['map', () => lib.map(lib.string(), lib.string())],
    ['set', () => lib.set(lib.string())],
    ['symbol', () => lib.symbol()],
    ['nan', () => lib.nan()],
    ['void', () => lib.void()],
    ['function', () => lib.function()],
  ])('a %s is refused, wherever it is', (kind, make) => {
    const problem = (place: string) =>
      new RegExp(`^Tool "bad_tool": its input schema cannot be used: .*"${place}" is a z\\.${kind}\\(\\)`);
    const member = () => make() as z.ZodType;
    expect(define(lib.object({ amount: member() }))).toThrow(problem('amount'));
    const deep = lib.object({ order: lib.object({ lines: lib.array(lib.object({ amount: member() })) }) });
    expect(define(deep)).toThrow(problem('order.lines.items.amount'));
    // A member of a shape is named by its key.
    expect(define({ ok: lib.string(), amount: member() })).toThrow(
      new RegExp(`the key "amount": its root is a z\\.${kind}\\(\\), which JSON cannot represent`),
    );
    expect(define({ order: lib.object({ amount: member() }) })).toThrow(/the key "order": "amount" is a z\./);
  });

  test.each<[string, () => unknown]>([
    ['string', () => lib.string()],
    ['array', () => lib.array(lib.string())],
    ['date', () => lib.date()],
    ['enum', () => lib.enum(['a'])],
  ])('a %s as the root is refused', (_kind, make) => {
    expect(define(make())).toThrow(
      /^Tool "bad_tool": its input schema cannot be used: its root must be an object/,
    );
  });

  test('a recursive schema is looked through once', () => {
    const node: z.ZodType = lib.lazy(() =>
      lib.object({ children: lib.array(node), bad: lib.bigint() }),
    ) as unknown as z.ZodType;
    expect(define(lib.object({ node }))).toThrow(/"node\.bad" is a z\.bigint\(\)/);
  });
});

test('zod 3: what a preprocessor or a pipe makes of the input may be anything', () => {
  const toMap = z3.preprocess(
    (value) => new Map(Object.entries(value as object)),
    z3.map(z3.string(), z3.any()),
  );
  expect(define({ options: toMap })).not.toThrow();
  const piped = z3
    .string()
    .transform((text) => BigInt(text))
    .pipe(z3.bigint());
  expect(define({ amount: piped })).not.toThrow();
});

describe('other libraries', () => {
  test.each<[string, unknown, RegExp]>([
    ['ArkType: bigint', type({ order: { amount: 'bigint' } }), /"order\.amount" is a bigint/],
    ['ArkType: symbol', type({ amount: 'symbol' }), /"amount" is a symbol/],
    ['ArkType: Map', type({ amount: 'Map' }), /"amount" is a Map/],
    ['ArkType: Set in a list', type({ list: 'Set[]' }), /"list\.items" is a Set/],
    [
      'Valibot: bigint',
      toStandardJsonSchema(v.object({ order: v.object({ amount: v.bigint() }) })),
      /"order\.amount" is a bigint/,
    ],
    [
      'Valibot: map',
      toStandardJsonSchema(v.object({ amount: v.map(v.string(), v.string()) })),
      /"amount" is a map/,
    ],
    ['Valibot: set', toStandardJsonSchema(v.object({ amount: v.set(v.string()) })), /"amount" is a set/],
    ['Valibot without its converter', v.object({ a: v.string() }), /wrap it with `toStandardJsonSchema`/],
    ['ArkType: a root that is no object', type('string'), /its root must be an object/],
    ['Valibot: a root that is no object', toStandardJsonSchema(v.string()), /its root must be an object/],
  ])('%s', (_, schema, message) => {
    expect(define(schema)).toThrow(message);
    expect(define(schema)).toThrow(/^Tool "bad_tool": its input schema cannot be used: /);
  });

  test('ArkType: a choice with undefined is no problem', () => {
    expect(define(type({ 'note?': 'string | undefined' }))).not.toThrow();
  });
});

describe('plain JSON Schema with a mistake', () => {
  test.each<[string, unknown, RegExp]>([
    ['a root that is a string', { type: 'string' }, /its root must be an object; it is of type "string"/],
    ['a list as the root', { type: 'array', items: {} }, /its root must be an object/],
    [
      'an unknown type, deep down',
      { type: 'object', properties: { a: { type: 'array', items: { type: 'text' } } } },
      /#\/properties\/a\/items\/type: "text" is not a JSON Schema type/,
    ],
    [
      'a property that is no schema',
      { type: 'object', properties: { a: 'string' } },
      /#\/properties\/a must be a schema \(an object or a boolean\); it is "string"/,
    ],
    [
      'required as in an older draft',
      { type: 'object', properties: { a: { type: 'string', required: true } } },
      /#\/properties\/a\/required must be an array of property names; it is true/,
    ],
    [
      'an enum that is no list',
      { type: 'object', properties: { a: { enum: 'x' } } },
      /#\/properties\/a\/enum/,
    ],
    ['a union that is no list', { type: 'object', anyOf: {} }, /#\/anyOf must be an array/],
    [
      'a branch of the root that is no object',
      { anyOf: [{ type: 'object' }, { type: 'string' }] },
      /every branch of its root must be an object; #\/anyOf\/1 is not/,
    ],
    [
      'a member of a shape that is no schema',
      { a: { type: 'string' } },
      /the key "a" holds an object, not a schema/,
    ],
  ])('%s', (_, schema, message) => {
    expect(define(schema)).toThrow(message);
    expect(define(schema)).toThrow(/^Tool "bad_tool": its input schema cannot be used: /);
  });
});

test.each<[string, InputSchema]>([
  ['zod 4', { word: z.string().refine((word) => word !== 'no', 'not that word') }],
  ['zod 3', { word: z3.string().refine((word) => word !== 'no', 'not that word') }],
  [
    'Valibot',
    toStandardJsonSchema(
      v.object({
        word: v.pipe(
          v.string(),
          v.check((word) => word !== 'no', 'not that word'),
        ),
      }),
    ),
  ],
  [
    'ArkType',
    type({ word: type('string').narrow((word, ctx) => word !== 'no' || ctx.mustBe('not that word')) }),
  ],
])('a rule that JSON Schema has no word for is no problem, and is kept: %s', async (_, schema) => {
  const { listed, given } = await probe(schema);
  expect((await listed('any')).properties).toEqual({ word: { type: 'string' } });
  expect(await given({ word: 'yes' })).toEqual({ word: 'yes' });
  expect(await given({ word: 'no' })).toMatch(/not that word/);
});

test('an output schema is named as such', () => {
  const make = () => tool('bad_tool', 'd', {}, () => ({}), { outputSchema: z.string() as never });
  expect(make).toThrow(/^Tool "bad_tool": its output schema cannot be used: its root must be an object/);
});

describe('a schema that fails only when its converter is loaded', () => {
  afterEach(() => vi.restoreAllMocks());

  /** As zod 4.0 makes them: validating, without a converter of their own; and with one that then fails. */
  function failingLater(): z.ZodType {
    const schema = z.object({ a: z.string() });
    const { validate, vendor, version } = schema['~standard'];
    const broken = {
      ...schema._zod,
      toJSONSchema: () => {
        throw new Error('no words for it');
      },
    };
    return { _zod: broken, '~standard': { validate, vendor, version } } as unknown as z.ZodType;
  }

  test('leaves its tool out with a warning, and the others are listed and work (pain 4)', async () => {
    const warnings: string[] = [];
    vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)));
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const late = tool('late', 'd', failingLater() as InputSchema, () => 'x');
    const good = tool('good', 'd', { a: mini.string() }, ({ a }) => a);
    const wire = await McpWire.to(createSdkMcpServer({ name: 's', tools: [late, good] }).instance);
    const { tools } = await wire.request<{ tools: ListedTool[] }>('tools/list');
    expect(tools.map(({ name }) => name)).toEqual(['good']);
    expect(warnings).toEqual([
      expect.stringMatching(/^Tool "late" is left out: its schema cannot be converted: no words for it$/),
    ]);
    expect(await wire.call('good', { a: 'x' })).toEqual({ content: [{ type: 'text', text: 'x' }] });
    expect(await wire.call('late', { a: 'x' })).toEqual({
      content: [{ type: 'text', text: 'no words for it' }],
      isError: true,
    });
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('of which nobody ever asks is no unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    tool('late', 'd', failingLater() as InputSchema, () => 'x');
    tool('late_member', 'd', { value: failingLater() } as InputSchema, () => 'x');
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
