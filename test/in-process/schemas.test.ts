/** The real CLI offers tools of every schema kind to the model, and calls them (R3; pains 2, 4, 55). */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import { createSdkMcpServer, type InputSchema, tool } from '../../src/index.js';
import { text, toolUses } from '../../src/testing/index.js';
import { runCli, succeeded, wordsOf } from './support.js';

const members = (lib: typeof z) => ({
  title: lib.string().describe('What it is about'),
  tags: lib.array(lib.string()).default([]),
  when: lib.date().optional(),
});

const union = (lib: typeof z) =>
  lib.discriminatedUnion('kind', [
    lib.object({ kind: lib.literal('circle'), radius: lib.number() }),
    lib.object({ kind: lib.literal('square'), side: lib.number() }),
  ]);

const SCHEMAS: Record<string, InputSchema> = {
  zod4_shape: members(z),
  zod4_object: z.object(members(z)),
  zod4_union: union(z),
  zod3_shape: members(z3 as unknown as typeof z),
  zod3_object: z3.object(members(z3 as unknown as typeof z) as unknown as z3.ZodRawShape),
  zod3_union: union(z3 as unknown as typeof z),
  mini_object: mini.object({
    title: mini.string().check(mini.describe('What it is about')),
    tags: mini._default(mini.array(mini.string()), []),
    when: mini.optional(mini.date()),
  }),
  valibot: toStandardJsonSchema(
    v.object({
      title: v.pipe(v.string(), v.description('What it is about')),
      tags: v.optional(v.array(v.string()), []),
      when: v.optional(v.date()),
    }),
  ),
  arktype: type({
    title: type('string').describe('What it is about'),
    tags: type('string[]').default(() => []),
    'when?': 'Date',
  }),
  plain: {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'What it is about' },
      tags: { type: 'array', items: { type: 'string' }, default: [] },
      when: { type: 'string', format: 'date-time' },
    },
    required: ['title'],
  },
};

const WHEN = '2026-01-02T03:04:05Z';
const names = Object.keys(SCHEMAS);
const isUnion = (name: string) => name.endsWith('_union');

test('every kind is in the model’s tool list, is called with checked arguments, and answers', async () => {
  const got: Record<string, unknown[]> = {};
  const tools = names.map((name) =>
    tool(name, `Tests ${name}`, SCHEMAS[name] as InputSchema, (args) => {
      got[name] = [...(got[name] ?? []), args];
      return `called ${name}`;
    }),
  );
  const good = names.map((name) => ({
    id: `good_${name}`,
    name: `mcp__test__${name}`,
    // The list comes as text, as models send it at times.
    input: isUnion(name) ? { kind: 'square', side: 2 } : { title: 'x', tags: '["a"]', when: WHEN },
  }));
  const bad = names.map((name) => ({
    id: `bad_${name}`,
    name: `mcp__test__${name}`,
    input: isUnion(name) ? { kind: 'square', radius: 2 } : { title: 5 },
  }));
  const run = await runCli({
    servers: { test: createSdkMcpServer({ name: 'test', tools }) },
    script: [toolUses(good), toolUses(bad), text('Done.')],
  });
  succeeded(run);

  const offered = new Map(run.api.requests[0]?.body.tools?.map((each) => [each.name, each]));
  for (const name of names) {
    const shown = offered.get(`mcp__test__${name}`);
    expect(shown, name).toMatchObject({ description: `Tests ${name}`, input_schema: { type: 'object' } });
    const { properties, required } = (shown?.input_schema ?? {}) as {
      properties: Record<string, object>;
      required: string[];
    };
    if (isUnion(name)) {
      expect(properties, name).toMatchObject({
        kind: { enum: ['circle', 'square'] },
        radius: { type: 'number' },
        side: { type: 'number' },
      });
      expect(required, name).toEqual(['kind']);
    } else {
      expect(properties, name).toMatchObject({
        title: { type: 'string', description: 'What it is about' },
        tags: { type: 'array', items: { type: 'string' } },
        when: { type: 'string', format: 'date-time' },
      });
      expect(required, name).toEqual(['title']);
    }

    const when = name === 'plain' ? WHEN : new Date(WHEN);
    const expected = isUnion(name) ? { kind: 'square', side: 2 } : { title: 'x', tags: ['a'], when };
    expect(got[name], name).toEqual([expected]);
    expect(run.told.get(`good_${name}`), name).toMatchObject({
      content: [{ type: 'text', text: `called ${name}` }],
    });
    expect(run.told.get(`bad_${name}`)?.is_error, name).toBe(true);
    expect(wordsOf(run.told.get(`bad_${name}`)), name).toMatch(
      new RegExp(`Invalid arguments for tool "${name}": .*(title|side|kind|radius|object)`, 's'),
    );
  }
});

test('plain JSON Schema is shown to the model as it was written', async () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    title: 'Search',
    properties: {
      node: { $ref: '#/$defs/node' },
      pattern: { type: 'string', pattern: '^[a-z]+$', examples: ['abc'] },
      map: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
    },
    required: ['pattern'],
    additionalProperties: false,
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  } as const;
  const plain = tool('plain', 'd', schema, ({ pattern }) => pattern);
  const run = await runCli({
    servers: { test: createSdkMcpServer({ name: 'test', tools: [plain] }) },
    script: [
      toolUses([
        { id: 'good', name: 'mcp__test__plain', input: { pattern: 'abc', node: { next: { next: {} } } } },
        { id: 'bad', name: 'mcp__test__plain', input: { pattern: 'ABC' } },
      ]),
      text('Done.'),
    ],
  });
  succeeded(run);
  const shown = run.api.requests[0]?.body.tools?.find((each) => each.name === 'mcp__test__plain');
  expect(shown?.input_schema).toEqual(schema);
  expect(wordsOf(run.told.get('good'))).toBe('abc');
  expect(run.told.get('bad')).toMatchObject({ is_error: true });
});
