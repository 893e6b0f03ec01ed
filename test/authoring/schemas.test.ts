/** What the model is told of a tool's arguments, and what the handler then gets (R1): zod 4, zod 3 and zod/mini. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import { createSdkMcpServer, type InputSchema, type ListedTool, tool } from '../../src/index.js';
import { McpWire } from '../support/mcp-wire.js';

/** The schema as a client lists it, and the arguments that the handler got for what a model sent. */
async function connected(inputSchema: InputSchema) {
  const calls: unknown[] = [];
  const probe = tool('probe', 'Tells what it got', inputSchema, (args) => {
    calls.push(args);
  });
  const wire = await McpWire.to(createSdkMcpServer({ name: 'test', tools: [probe] }).instance);
  const { tools } = await wire.request<{ tools: ListedTool[] }>('tools/list');
  return {
    schema: tools[0]?.inputSchema,
    async given(args: unknown): Promise<unknown> {
      const result = await wire.call('probe', args);
      return result.isError ? result.content[0]?.text : calls.at(-1);
    },
  };
}

const DIALECT = 'http://json-schema.org/draft-07/schema#';

const members = (lib: typeof z) => ({
  text: lib.string().describe('Some text'),
  count: lib.number().int().min(1).optional(),
  kind: lib.enum(['bug', 'feature']),
  limit: lib.number().default(10),
  nested: lib.object({ deep: lib.array(lib.string()), maybe: lib.boolean().optional() }),
  either: lib.union([lib.string(), lib.number()]),
  map: lib.record(lib.string(), lib.number()),
  nothing: lib.string().nullable(),
});

const EXPECTED = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'Some text' },
    count: { type: 'integer', minimum: 1 },
    kind: { type: 'string', enum: ['bug', 'feature'] },
    limit: { type: 'number', default: 10 },
    nested: {
      type: 'object',
      properties: { deep: { type: 'array', items: { type: 'string' } }, maybe: { type: 'boolean' } },
      required: ['deep'],
    },
    map: { type: 'object', additionalProperties: { type: 'number' } },
  },
  required: ['text', 'kind', 'nested', 'either', 'map', 'nothing'],
};

const valid = {
  text: 'x',
  kind: 'bug',
  nested: { deep: ['a'] },
  either: 1,
  map: { a: 1 },
  nothing: null,
};

describe.each<[string, InputSchema]>([
  ['a raw shape of zod 4', members(z)],
  ['an object of zod 4', z.object(members(z))],
  ['a raw shape of zod 3', members(z3 as unknown as typeof z)],
  ['an object of zod 3', z3.object(members(z3 as unknown as typeof z) as unknown as z3.ZodRawShape)],
])('%s', (_, inputSchema) => {
  it('is listed as JSON Schema', async () => {
    const { schema } = await connected(inputSchema);
    expect(schema).toMatchObject({ $schema: DIALECT, ...EXPECTED });
    const { either, nothing } = (schema?.properties ?? {}) as Record<string, Record<string, unknown>>;
    const alternatives = (of: Record<string, unknown> = {}) =>
      ((of.anyOf as { type: string }[] | undefined)?.map(({ type }) => type) ?? of.type) as string[];
    expect(alternatives(either).toSorted()).toEqual(['number', 'string']);
    expect(alternatives(nothing).toSorted()).toEqual(['null', 'string']);
  });

  it('checks what the model sends, and fills in defaults', async () => {
    const { given } = await connected(inputSchema);
    expect(await given(valid)).toEqual({ ...valid, limit: 10 });
    expect(await given({ ...valid, count: 3, limit: 5 })).toEqual({ ...valid, count: 3, limit: 5 });
    expect(await given({ ...valid, count: 0 })).toMatch(/count: /);
  });
});

describe('zod/mini', () => {
  it('works as members of a shape and as an object', async () => {
    const shape = {
      a: mini.number(),
      b: mini.optional(mini.string()),
      c: mini._default(mini.boolean(), true),
    };
    for (const inputSchema of [shape, mini.object(shape)]) {
      const { schema, given } = await connected(inputSchema);
      expect(schema).toMatchObject({
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'string' }, c: { type: 'boolean', default: true } },
        required: ['a'],
      });
      expect(await given({ a: 1 })).toEqual({ a: 1, c: true });
      expect(await given({ a: 'x' })).toMatch(/a: /);
    }
  });
});

describe('a schema', () => {
  it('of a tool without arguments is an empty object', async () => {
    const { schema, given } = await connected({});
    expect(schema).toEqual({ $schema: DIALECT, type: 'object', properties: {} });
    expect(await given(undefined)).toEqual({});
  });

  it('that refers to itself keeps its references in place', async () => {
    interface Category {
      name: string;
      children: Category[];
    }
    const category: z.ZodType<Category> = z.lazy(() =>
      z.object({ name: z.string(), children: z.array(category) }),
    );
    const { schema, given } = await connected({ 'root/category': category, other: category });
    const references = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to = '']) => to);
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) {
      const steps = reference
        .slice(2)
        .split('/')
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
      const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], schema);
      expect(target, reference).toBeTypeOf('object');
    }
    const tree = { name: 'a', children: [{ name: 'b', children: [] }] };
    expect(await given({ 'root/category': tree, other: tree })).toEqual({
      'root/category': tree,
      other: tree,
    });
    expect(await given({ 'root/category': tree, other: { name: 'a', children: [{ name: 1 }] } })).toMatch(
      /other\.children\.0\.name: /,
    );
  });

  it('with a transform is told by what goes in and called with what comes out', async () => {
    const { schema, given } = await connected({ when: z.string().transform((text) => text.length) });
    expect(schema?.properties).toEqual({ when: { type: 'string' } });
    expect(await given({ when: 'four' })).toEqual({ when: 4 });
  });

  it('drops keys that a raw shape does not have, as zod objects do', async () => {
    for (const inputSchema of [{ a: z.number() }, z.object({ a: z.number() })]) {
      const { given } = await connected(inputSchema);
      expect(await given({ a: 1, more: true })).toEqual({ a: 1 });
    }
  });

  it('may check asynchronously', async () => {
    const { given } = await connected({
      name: z.string().refine(async (name) => name !== 'taken', 'is taken'),
    });
    expect(await given({ name: 'free' })).toEqual({ name: 'free' });
    expect(await given({ name: 'taken' })).toMatch(/name: is taken/);
  });

  it('of any Standard Schema library works when it tells its JSON Schema, and is refused when it does not', async () => {
    const standard = {
      '~standard': {
        version: 1 as const,
        vendor: 'homemade',
        validate: (value: unknown) =>
          typeof value === 'string' ? { value: value.toUpperCase() } : { issues: [{ message: 'no string' }] },
        jsonSchema: { input: () => ({ type: 'string', minLength: 1 }) },
      },
    };
    const { schema, given } = await connected({ word: standard });
    expect(schema).toMatchObject({
      properties: { word: { type: 'string', minLength: 1 } },
      required: ['word'],
    });
    expect(await given({ word: 'x' })).toEqual({ word: 'X' });
    expect(await given({ word: 1 })).toMatch(/word: no string/);
    const { jsonSchema: _none, ...silent } = standard['~standard'];
    expect(() => tool('t', 'd', { word: { '~standard': silent } }, () => '')).toThrow(
      /"homemade" does not provide a JSON Schema/,
    );
  });
});
