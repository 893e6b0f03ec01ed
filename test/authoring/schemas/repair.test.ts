/** Arguments that a model sent as JSON text are repaired, and it is said (pain 55); dates come as ISO text. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import type { InputSchema } from '../../../src/index.js';
import fc from '../../support/property.js';
import { probe } from './probe.js';

const FLAG = 'tenon/repairedArguments';

describe.each<[string, InputSchema]>([
  ['zod 4', z.object({ tags: z.array(z.string()), where: z.object({ lat: z.number() }), note: z.string() })],
  ['a raw shape', { tags: z.array(z.string()), where: z.object({ lat: z.number() }), note: z.string() }],
  [
    'zod 3',
    z3.object({ tags: z3.array(z3.string()), where: z3.object({ lat: z3.number() }), note: z3.string() }),
  ],
  [
    'Valibot',
    toStandardJsonSchema(
      v.object({ tags: v.array(v.string()), where: v.object({ lat: v.number() }), note: v.string() }),
    ),
  ],
  ['ArkType', type({ tags: 'string[]', where: { lat: 'number' }, note: 'string' })],
  [
    'plain JSON Schema',
    {
      type: 'object',
      properties: {
        tags: { type: 'array', items: { type: 'string' } },
        where: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
        note: { type: 'string' },
      },
      required: ['tags', 'where', 'note'],
    },
  ],
])('%s', (_, schema) => {
  test('text is parsed where a list or an object is wanted, and nowhere else', async () => {
    const { call } = await probe(schema);
    const { args, repaired, meta } = await call({ tags: '["a", "b"]', where: ' {"lat": 1}', note: '["a"]' });
    expect(args).toEqual({ tags: ['a', 'b'], where: { lat: 1 }, note: '["a"]' });
    expect(repaired).toEqual(['tags', 'where']);
    expect(meta).toEqual({ [FLAG]: ['tags', 'where'] });
  });

  test('arguments that are right are not touched and not flagged', async () => {
    const { call } = await probe(schema);
    const args = { tags: ['["a"]'], where: { lat: 1 }, note: '{"lat": 1}' };
    expect(await call(args)).toEqual({ args, repaired: [], meta: undefined });
  });

  test('text that is not what is wanted fails, with its place', async () => {
    const { given } = await probe(schema);
    const good = { tags: [], where: { lat: 1 }, note: '' };
    for (const tags of ['a, b', '["a"', '{"a": 1}', 'null', '']) {
      expect(await given({ ...good, tags }), tags).toMatch(/^Invalid arguments for tool "probe": .*tags/);
    }
    expect(await given({ ...good, where: '[1]' })).toMatch(/^Invalid arguments for tool "probe": .*where/);
    // What was repaired is checked like everything else.
    expect(await given({ ...good, where: '{"lat": "x"}' })).toMatch(/where[./]lat/);
  });
});

test('the places are named in depth: in objects, lists, records and unions', async () => {
  const { call } = await probe({
    order: z.object({ lines: z.array(z.object({ tags: z.array(z.string()) })) }),
    groups: z.record(z.string(), z.array(z.number())),
    maybe: z.object({ a: z.number() }).nullable(),
    either: z.union([z.string(), z.array(z.string())]),
  });
  const { args, repaired } = await call({
    order: { lines: [{ tags: [] }, { tags: '["x"]' }, '{"tags": "[]"}'] },
    groups: { one: '[1]', two: [2] },
    maybe: '{"a": 1}',
    either: '["stays a string"]',
  });
  expect(args).toEqual({
    order: { lines: [{ tags: [] }, { tags: ['x'] }, { tags: [] }] },
    groups: { one: [1], two: [2] },
    maybe: { a: 1 },
    either: '["stays a string"]',
  });
  expect(repaired).toEqual([
    'order.lines[1].tags',
    'order.lines[2]',
    'order.lines[2].tags',
    'groups.one',
    'maybe',
  ]);
});

test('a root union is repaired too', async () => {
  const { call } = await probe(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('many'), ids: z.array(z.number()) }),
      z.object({ kind: z.literal('one'), id: z.number() }),
    ]),
  );
  expect(await call({ kind: 'many', ids: '[1, 2]' })).toEqual({
    args: { kind: 'many', ids: [1, 2] },
    repaired: ['ids'],
    meta: { [FLAG]: ['ids'] },
  });
});

test('recursive schemas are followed through their references', async () => {
  interface Node {
    name: string;
    children: Node[];
  }
  const node: z.ZodType<Node> = z.lazy(() => z.object({ name: z.string(), children: z.array(node) }));
  const { call } = await probe({ node });
  const { args, repaired } = await call({
    node: { name: 'a', children: [{ name: 'b', children: '[{"name":"c","children":[]}]' }] },
  });
  expect(args).toEqual({
    node: { name: 'a', children: [{ name: 'b', children: [{ name: 'c', children: [] }] }] },
  });
  expect(repaired).toEqual(['node.children[0].children']);
});

test('names that every object has are names like any other', async () => {
  const { given } = await probe({
    constructor: z.string().optional(),
    toString: z.array(z.string()).optional(),
  });
  expect(await given({})).toEqual({});
  expect(await given(JSON.parse('{"toString": "[\\"a\\"]"}'))).toEqual({ toString: ['a'] });
  const plain = await probe({ type: 'object', properties: { valueOf: { type: 'string', default: 'x' } } });
  expect(await plain.given({})).toEqual({ valueOf: 'x' });
});

test('property: any list of strings survives, sent as a list or as text', async () => {
  const { given } = await probe({ list: z.array(z.string()), text: z.string() });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string()), fc.boolean(), fc.string(), async (list, asText, text) => {
      const sent = asText ? JSON.stringify(list) : list;
      expect(await given({ list: sent, text })).toEqual({ list, text });
    }),
    { numRuns: 200 },
  );
});

describe('dates', () => {
  test.each(['2026-01-02', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678+01:00', '2026-01-02 03:04'])(
    '%s reaches the handler as a date',
    async (text) => {
      const { given } = await probe({ when: z.date(), all: z.array(z.date()).optional() });
      expect(await given({ when: text, all: [text] })).toEqual({
        when: new Date(text),
        all: [new Date(text)],
      });
    },
  );

  test('what is no date is refused', async () => {
    const { given } = await probe({ when: z.date() });
    for (const when of ['tomorrow', '2026-13-45', '20260102', 1767312245, null]) {
      expect(await given({ when }), String(when)).toMatch(/^Invalid arguments for tool "probe": when: /);
    }
  });

  test('beside another mistake, only the mistake is named', async () => {
    const { given } = await probe({ when: z.date(), count: z.number() });
    const text = await given({ when: '2026-01-02', count: 'x' });
    expect(text).toMatch(/count: /);
    expect(text).not.toMatch(/when: /);
  });

  test('a rule about dates is kept', async () => {
    const schemas: InputSchema[] = [
      { when: z.date().min(new Date('2026-01-01'), 'too early') },
      { when: z3.date().min(new Date('2026-01-01'), 'too early') },
      toStandardJsonSchema(
        v.object({ when: v.pipe(v.date(), v.minValue(new Date('2026-01-01'), 'too early')) }),
      ),
      type({
        when: type('Date').narrow((date, ctx) => date.getFullYear() > 2025 || ctx.mustBe('not too early')),
      }),
    ];
    for (const schema of schemas) {
      const { given } = await probe(schema);
      expect(await given({ when: '2025-12-31' })).toMatch(/when.*too early/);
      expect(await given({ when: '2026-02-01' })).toEqual({ when: new Date('2026-02-01') });
    }
  });

  test('a choice of which a date is one takes a date', async () => {
    const { given } = await probe({ when: z.union([z.date(), z.literal('now')]), iso: z.iso.date() });
    expect(await given({ when: 'now', iso: '2026-02-01' })).toEqual({ when: 'now', iso: '2026-02-01' });
    expect(await given({ when: '2026-02-01', iso: '2026-02-01' })).toEqual({
      when: new Date('2026-02-01'),
      iso: '2026-02-01',
    });
    expect(await given({ when: 'then', iso: '2026-02-01' })).toMatch(/when: /);
    // A text that breaks a rule is told the rule, not that it is no date.
    expect(
      await (await probe({ title: z.string().max(5, 'too long') })).given({ title: '2026-01-02' }),
    ).toMatch(/title: too long/);
  });

  test('text that looks like a date stays text where text is wanted', async () => {
    const { given } = await probe({ title: z.string(), when: z.date() });
    expect(await given({ title: '2026-01-02', when: '2026-01-02' })).toEqual({
      title: '2026-01-02',
      when: new Date('2026-01-02'),
    });
  });
});

test('defaults of plain JSON Schema are applied before the handler, in depth, and belong to one call', async () => {
  const { given } = await probe({
    type: 'object',
    properties: {
      limit: { type: 'number', default: 10 },
      tags: { type: 'array', items: { type: 'string' }, default: [] },
      nested: { type: 'object', properties: { flag: { type: 'boolean', default: true } } },
      lines: { type: 'array', items: { type: 'object', properties: { n: { type: 'number', default: 1 } } } },
    },
  });
  const first = (await given({ nested: {}, lines: [{}, { n: 2 }] })) as { tags: string[] };
  expect(first).toEqual({ limit: 10, tags: [], nested: { flag: true }, lines: [{ n: 1 }, { n: 2 }] });
  first.tags.push('mine');
  expect(await given({})).toEqual({ limit: 10, tags: [] });
});
