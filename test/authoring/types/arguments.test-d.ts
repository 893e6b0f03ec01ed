/** The handler's arguments are inferred from every kind of schema (R1, R3). Compiled by `npm run check`, never run. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import { type InferInput, type JsonSchemaInput, type ToolContext, tool } from '../../../src/index.js';

interface Node {
  name: string;
  children: Node[];
}

interface Expected {
  text: string;
  count?: number | undefined;
  kind: 'bug' | 'task';
  limit: number;
  tags: string[];
  nothing: string | null;
  either: string | number;
  map: Record<string, number>;
  nested: { flag: boolean };
  when: Date;
}

const node: z.ZodType<Node> = z.lazy(() => z.object({ name: z.string(), children: z.array(node) }));

const shape4 = {
  text: z.string().describe('words'),
  count: z.number().optional(),
  kind: z.enum(['bug', 'task']),
  limit: z.number().default(1),
  tags: z.array(z.string()),
  nothing: z.string().nullable(),
  either: z.union([z.string(), z.number()]),
  map: z.record(z.string(), z.number()),
  nested: z.object({ flag: z.boolean() }),
  when: z.date(),
};

tool('zod4_shape', 'd', shape4, (args, context) => {
  expectTypeOf(args).toEqualTypeOf<Expected>();
  expectTypeOf(context).toEqualTypeOf<ToolContext>();
});
tool('zod4_object', 'd', z.object(shape4), (args) => {
  expectTypeOf(args).toEqualTypeOf<Expected>();
});
tool('zod4_recursive', 'd', { node }, ({ node: given }) => {
  expectTypeOf(given).toEqualTypeOf<Node>();
});
tool('zod4_transform', 'd', { n: z.string().transform(Number), on: z.stringbool() }, (args) => {
  expectTypeOf(args).toEqualTypeOf<{ n: number; on: boolean }>();
});
tool(
  'zod4_union',
  'd',
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number() }),
    z.object({ kind: z.literal('square'), side: z.number() }),
  ]),
  (args) => {
    if (args.kind === 'circle') expectTypeOf(args).toEqualTypeOf<{ kind: 'circle'; radius: number }>();
    else expectTypeOf(args).toEqualTypeOf<{ kind: 'square'; side: number }>();
  },
);

tool(
  'mini',
  'd',
  mini.object({ a: mini.number(), b: mini.optional(mini.string()), c: mini._default(mini.boolean(), true) }),
  (args) => {
    expectTypeOf(args).toEqualTypeOf<{ a: number; b?: string | undefined; c: boolean }>();
  },
);
tool('mini_shape', 'd', { a: mini.number(), b: mini.optional(mini.string()) }, (args) => {
  expectTypeOf(args).toEqualTypeOf<{ a: number; b?: string | undefined }>();
});

tool(
  'zod3_shape',
  'd',
  { a: z3.number(), b: z3.string().optional(), c: z3.string().default('x') },
  (args) => {
    expectTypeOf(args).toEqualTypeOf<{ a: number; b?: string | undefined; c: string }>();
  },
);
tool('zod3_object', 'd', z3.object({ a: z3.number(), list: z3.array(z3.string()) }), (args) => {
  expectTypeOf(args).toEqualTypeOf<{ a: number; list: string[] }>();
});

tool(
  'valibot',
  'd',
  toStandardJsonSchema(
    v.object({ a: v.number(), b: v.optional(v.string()), c: v.optional(v.string(), 'x') }),
  ),
  (args) => {
    expectTypeOf(args).toEqualTypeOf<{ a: number; b?: string | undefined; c: string }>();
  },
);
tool('valibot_shape', 'd', { a: toStandardJsonSchema(v.picklist(['x', 'y'])) }, (args) => {
  expectTypeOf(args).toEqualTypeOf<{ a: 'x' | 'y' }>();
});

tool('arktype', 'd', type({ a: 'number', 'b?': 'string', c: "'x' | 'y'", when: 'Date' }), (args) => {
  expectTypeOf(args).toEqualTypeOf<{ a: number; b?: string; c: 'x' | 'y'; when: Date }>();
});

tool(
  'json',
  'd',
  {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'words' },
      count: { type: 'integer' },
      kind: { type: 'string', enum: ['bug', 'task'] },
      one: { const: 1 },
      limit: { type: 'number', default: 1 },
      tags: { type: 'array', items: { type: 'string' } },
      any: { type: 'array' },
      nothing: { type: ['string', 'null'] },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      map: { type: 'object', additionalProperties: { type: 'number' } },
      nested: { type: 'object', properties: { flag: { type: 'boolean' } }, required: ['flag'] },
      open: { type: 'object' },
      whatever: {},
    },
    required: [
      'text',
      'kind',
      'one',
      'tags',
      'any',
      'nothing',
      'either',
      'map',
      'nested',
      'open',
      'whatever',
    ],
  },
  (args) => {
    expectTypeOf(args).toEqualTypeOf<{
      text: string;
      count?: number;
      kind: 'bug' | 'task';
      one: 1;
      // Not required of the model, and always there for the handler.
      limit: number;
      tags: string[];
      any: unknown[];
      nothing: string | null;
      either: string | number;
      map: Record<string, number>;
      nested: { flag: boolean };
      open: Record<string, unknown>;
      whatever: unknown;
    }>();
  },
);
tool(
  'json_union',
  'd',
  {
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
        required: ['kind', 'radius'],
      },
      {
        type: 'object',
        properties: { kind: { const: 'square' }, side: { type: 'number' } },
        required: ['kind'],
      },
    ],
  },
  (args) => {
    expectTypeOf(args).toEqualTypeOf<
      { kind: 'circle'; radius: number } | { kind: 'square'; side?: number }
    >();
  },
);
// A schema that is not written where the compiler sees it: the arguments are some object.
declare const loaded: Extract<JsonSchemaInput, { type: 'object' }>;
tool('json_loaded', 'd', loaded, (args) => {
  expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
});

tool('none', 'd', {}, (args) => {
  // @ts-expect-error There are no arguments.
  return args.nothing;
});

expectTypeOf<InferInput<typeof shape4>>().toEqualTypeOf<Expected>();

// @ts-expect-error A handler that wants other arguments.
tool('wrong', 'd', { a: z.number() }, ({ a }: { a: string }) => a);
// @ts-expect-error A handler that wants more arguments.
tool('wrong', 'd', z.object({ a: z.number() }), ({ b }: { a: number; b: number }) => b);
// @ts-expect-error A handler that wants another kind of word.
tool('wrong', 'd', { type: 'object', properties: { k: { enum: ['a'] } } }, ({ k }: { k: 'b' }) => k);
tool('wrong', 'd', { a: z.number() }, ({ a }) => {
  // @ts-expect-error A number has no length.
  return a.length;
});
// @ts-expect-error No schema but a word.
tool('wrong', 'd', { a: 'string' }, () => '');
// @ts-expect-error Plain JSON Schema whose root is a string.
tool('wrong', 'd', { type: 'string' }, () => '');
