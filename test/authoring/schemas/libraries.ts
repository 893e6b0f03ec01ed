/** One schema of each kind, written in each library: the rows and columns of the golden matrix. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { scope, type } from 'arktype';
import * as v from 'valibot';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import type { InputSchema, JsonSchemaInput, RawShape } from '../../../src/index.js';

export type MemberKind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'describe'
  | 'default'
  | 'optional'
  | 'enum'
  | 'nullable'
  | 'record'
  | 'nested'
  | 'array'
  | 'union'
  | 'date'
  | 'recursive';

export type RootKind = 'root union' | 'root discriminated union';

export interface Library {
  /** A schema with the one key `value`, as a raw shape; undefined where the library cannot say it so. */
  shape(kind: MemberKind): RawShape | undefined;
  object(kind: MemberKind): InputSchema;
  root(kind: RootKind): InputSchema;
  /** A date reaches the handler as a `Date`; JSON Schema knows only text. */
  hasDates: boolean;
}

interface Node {
  name: string;
  children: Node[];
}

const node4: z.ZodType<Node> = z.lazy(() => z.object({ name: z.string(), children: z.array(node4) }));
const members4 = (): Record<MemberKind, z.ZodType> => ({
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  describe: z.string().describe('What to say'),
  default: z.string().default('low'),
  optional: z.string().optional(),
  enum: z.enum(['bug', 'task']),
  nullable: z.string().nullable(),
  record: z.record(z.string(), z.number()),
  nested: z.object({ deep: z.object({ flag: z.boolean() }) }),
  array: z.array(z.string()),
  union: z.union([z.string(), z.number()]),
  date: z.date(),
  recursive: node4,
});

const nodeMini: mini.ZodMiniType<Node> = mini.lazy(() =>
  mini.object({ name: mini.string(), children: mini.array(nodeMini) }),
);
const membersMini = (): Record<MemberKind, mini.ZodMiniType> => ({
  string: mini.string(),
  number: mini.number(),
  boolean: mini.boolean(),
  describe: mini.string().check(mini.describe('What to say')),
  default: mini._default(mini.string(), 'low'),
  optional: mini.optional(mini.string()),
  enum: mini.enum(['bug', 'task']),
  nullable: mini.nullable(mini.string()),
  record: mini.record(mini.string(), mini.number()),
  nested: mini.object({ deep: mini.object({ flag: mini.boolean() }) }),
  array: mini.array(mini.string()),
  union: mini.union([mini.string(), mini.number()]),
  date: mini.date(),
  recursive: nodeMini,
});

const node3: z3.ZodType<Node> = z3.lazy(() => z3.object({ name: z3.string(), children: z3.array(node3) }));
const members3 = (): Record<MemberKind, z3.ZodTypeAny> => ({
  string: z3.string(),
  number: z3.number(),
  boolean: z3.boolean(),
  describe: z3.string().describe('What to say'),
  default: z3.string().default('low'),
  optional: z3.string().optional(),
  enum: z3.enum(['bug', 'task']),
  nullable: z3.string().nullable(),
  record: z3.record(z3.string(), z3.number()),
  nested: z3.object({ deep: z3.object({ flag: z3.boolean() }) }),
  array: z3.array(z3.string()),
  union: z3.union([z3.string(), z3.number()]),
  date: z3.date(),
  recursive: node3,
});

const nodeValibot: v.GenericSchema<Node> = v.object({
  name: v.string(),
  children: v.array(v.lazy(() => nodeValibot)),
});
const membersValibot = (): Record<MemberKind, v.GenericSchema> => ({
  string: v.string(),
  number: v.number(),
  boolean: v.boolean(),
  describe: v.pipe(v.string(), v.description('What to say')),
  default: v.optional(v.string(), 'low'),
  optional: v.optional(v.string()),
  enum: v.picklist(['bug', 'task']),
  nullable: v.nullable(v.string()),
  record: v.record(v.string(), v.number()),
  nested: v.object({ deep: v.object({ flag: v.boolean() }) }),
  array: v.array(v.string()),
  union: v.union([v.string(), v.number()]),
  date: v.date() as v.GenericSchema,
  recursive: nodeValibot,
});

const membersArk = (): Record<Exclude<MemberKind, 'default' | 'optional'>, InputSchema> => ({
  string: type('string'),
  number: type('number'),
  boolean: type('boolean'),
  describe: type('string').describe('What to say'),
  enum: type("'bug' | 'task'"),
  nullable: type('string | null'),
  record: type('Record<string, number>'),
  nested: type({ deep: { flag: 'boolean' } }),
  array: type('string[]'),
  union: type('string | number'),
  date: type('Date'),
  recursive: scope({ node: { name: 'string', children: 'node[]' } }).export().node,
});

const plainNode = {
  type: 'object',
  properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
  required: ['name', 'children'],
};
const membersPlain = (): Record<MemberKind, object> => ({
  string: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  describe: { type: 'string', description: 'What to say' },
  default: { type: 'string', default: 'low' },
  optional: { type: 'string' },
  enum: { type: 'string', enum: ['bug', 'task'] },
  nullable: { type: ['string', 'null'] },
  record: { type: 'object', additionalProperties: { type: 'number' } },
  nested: {
    type: 'object',
    properties: { deep: { type: 'object', properties: { flag: { type: 'boolean' } }, required: ['flag'] } },
    required: ['deep'],
  },
  array: { type: 'array', items: { type: 'string' } },
  union: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  date: { type: 'string', format: 'date-time' },
  recursive: { $ref: '#/$defs/node' },
});

const isOptional = (kind: MemberKind): boolean => kind === 'default' || kind === 'optional';

/** `{ a: string } | { b: number }`, and shapes told apart by `kind`, with `label` in both and `note` in one. */
export const LIBRARIES: Record<string, Library> = {
  'zod 4': {
    shape: (kind) => ({ value: members4()[kind] }),
    object: (kind) => z.object({ value: members4()[kind] }),
    root: (kind) =>
      kind === 'root union'
        ? z.union([z.object({ a: z.string() }), z.object({ b: z.number() })])
        : z.discriminatedUnion('kind', [
            z.object({ kind: z.literal('circle'), label: z.string(), radius: z.number() }),
            z.object({
              kind: z.literal('square'),
              label: z.string(),
              side: z.number(),
              note: z.string().optional(),
            }),
          ]),
    hasDates: true,
  },
  'zod mini': {
    shape: (kind) => ({ value: membersMini()[kind] }),
    object: (kind) => mini.object({ value: membersMini()[kind] }),
    root: (kind) =>
      kind === 'root union'
        ? mini.union([mini.object({ a: mini.string() }), mini.object({ b: mini.number() })])
        : mini.discriminatedUnion('kind', [
            mini.object({ kind: mini.literal('circle'), label: mini.string(), radius: mini.number() }),
            mini.object({
              kind: mini.literal('square'),
              label: mini.string(),
              side: mini.number(),
              note: mini.optional(mini.string()),
            }),
          ]),
    hasDates: true,
  },
  'zod 3': {
    shape: (kind) => ({ value: members3()[kind] }),
    object: (kind) => z3.object({ value: members3()[kind] }),
    root: (kind) =>
      kind === 'root union'
        ? z3.union([z3.object({ a: z3.string() }), z3.object({ b: z3.number() })])
        : z3.discriminatedUnion('kind', [
            z3.object({ kind: z3.literal('circle'), label: z3.string(), radius: z3.number() }),
            z3.object({
              kind: z3.literal('square'),
              label: z3.string(),
              side: z3.number(),
              note: z3.string().optional(),
            }),
          ]),
    hasDates: true,
  },
  valibot: {
    shape: (kind) => ({ value: toStandardJsonSchema(membersValibot()[kind]) }),
    object: (kind) => toStandardJsonSchema(v.object({ value: membersValibot()[kind] })),
    root: (kind) =>
      kind === 'root union'
        ? toStandardJsonSchema(v.union([v.object({ a: v.string() }), v.object({ b: v.number() })]))
        : toStandardJsonSchema(
            v.variant('kind', [
              v.object({ kind: v.literal('circle'), label: v.string(), radius: v.number() }),
              v.object({
                kind: v.literal('square'),
                label: v.string(),
                side: v.number(),
                note: v.optional(v.string()),
              }),
            ]),
          ),
    hasDates: true,
  },
  arktype: {
    // ArkType writes defaults and optional keys in the object, not in the member.
    shape: (kind) =>
      kind === 'default' || kind === 'optional' ? undefined : ({ value: membersArk()[kind] } as RawShape),
    object: (kind) => {
      if (kind === 'default') return type({ value: "string = 'low'" });
      if (kind === 'optional') return type({ 'value?': 'string' });
      return type({ value: membersArk()[kind] as unknown as 'string' });
    },
    root: (kind) =>
      kind === 'root union'
        ? type({ a: 'string' }).or({ b: 'number' })
        : type({ kind: "'circle'", label: 'string', radius: 'number' }).or({
            kind: "'square'",
            label: 'string',
            side: 'number',
            'note?': 'string',
          }),
    hasDates: true,
  },
  'plain JSON Schema': {
    shape: () => undefined,
    object: (kind) => ({
      type: 'object',
      properties: { value: membersPlain()[kind] },
      ...(isOptional(kind) ? {} : { required: ['value'] }),
      ...(kind === 'recursive' ? { $defs: { node: plainNode } } : {}),
    }),
    root: (kind): JsonSchemaInput =>
      kind === 'root union'
        ? {
            anyOf: [
              { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
              { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] },
            ],
          }
        : {
            type: 'object',
            oneOf: [
              {
                properties: {
                  kind: { const: 'circle' },
                  label: { type: 'string' },
                  radius: { type: 'number' },
                },
                required: ['kind', 'label', 'radius'],
              },
              {
                properties: {
                  kind: { const: 'square' },
                  label: { type: 'string' },
                  side: { type: 'number' },
                  note: { type: 'string' },
                },
                required: ['kind', 'label', 'side'],
              },
            ],
          },
    hasDates: false,
  },
};
