/** Unions at the root, beyond the plain two of the matrix: the CLI hides such tools without a word (pain 4). */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import type { InputSchema, JsonSchemaInput } from '../../../src/index.js';
import { probe } from './probe.js';

const flatOf = async (schema: InputSchema) => (await probe(schema)).listed('claude-code');

/** Every `$ref` of a schema leads somewhere inside it. */
function danglingReferences(schema: object): string[] {
  const references = [...JSON.stringify(schema).matchAll(/"\$ref":"(#[^"]*)"/g)].map(([, to = '']) => to);
  return references.filter((reference) => {
    const steps = reference.split('/').slice(1);
    const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], schema);
    return target === undefined;
  });
}

describe('the flat schema for the CLI', () => {
  test('offers a property that differs between branches as a choice', async () => {
    const schema = z.union([
      z.object({ id: z.string(), mode: z.enum(['a', 'b']) }),
      z.object({ id: z.number(), mode: z.literal('c') }),
    ]);
    expect(await flatOf(schema)).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {
        id: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        mode: { type: 'string', enum: ['a', 'b', 'c'] },
      },
      required: ['id', 'mode'],
    });
  });

  test('merges unions inside unions, and both sides of an intersection', async () => {
    const inner = z.union([z.object({ b: z.string() }), z.object({ c: z.string() })]);
    const nested = z.union([z.object({ a: z.string() }), inner]);
    expect(Object.keys((await flatOf(nested)).properties ?? {})).toEqual(['a', 'b', 'c']);
    const both = z.intersection(z.object({ id: z.string() }), inner);
    const flat = await flatOf(both);
    expect(flat).toMatchObject({ type: 'object', required: ['id'] });
    expect(Object.keys(flat.properties ?? {}).toSorted()).toEqual(['b', 'c', 'id']);
    const { given } = await probe(both);
    expect(await given({ id: 'x', b: 'y' })).toEqual({ id: 'x', b: 'y' });
    expect(await given({ id: 'x' })).toMatch(/^Invalid arguments/);
  });

  test('keeps what stands beside the union', async () => {
    const schema = {
      type: 'object',
      description: 'Find something',
      properties: { limit: { type: 'number' } },
      required: ['limit'],
      anyOf: [{ required: ['id'], properties: { id: { type: 'string' } } }, { required: ['limit'] }],
    } as const satisfies JsonSchemaInput;
    expect(await flatOf(schema)).toEqual({
      type: 'object',
      description: 'Find something',
      properties: { limit: { type: 'number' }, id: { type: 'string' } },
      required: ['limit'],
    });
    expect(await (await probe(schema)).listed('any')).toEqual(schema);
  });

  test('follows branches that are references', async () => {
    const schema: JsonSchemaInput = {
      oneOf: [{ $ref: '#/$defs/circle' }, { $ref: '#/$defs/square' }],
      $defs: {
        circle: {
          type: 'object',
          properties: { kind: { const: 'circle' }, radius: { $ref: '#/$defs/size' } },
        },
        square: { type: 'object', properties: { kind: { const: 'square' }, side: { $ref: '#/$defs/size' } } },
        size: { type: 'number', minimum: 0 },
      },
    };
    const flat = await flatOf(schema);
    expect(flat.properties).toEqual({
      kind: { enum: ['circle', 'square'] },
      radius: { $ref: '#/$defs/size' },
      side: { $ref: '#/$defs/size' },
    });
    expect(danglingReferences(flat)).toEqual([]);
    const { given } = await probe(schema);
    expect(await given({ kind: 'circle', radius: 1 })).toEqual({ kind: 'circle', radius: 1 });
    expect(await given({ kind: 'circle', radius: -1 })).toMatch(/^Invalid arguments/);
  });

  test('leaves no reference that leads nowhere', async () => {
    // zod 3 refers to the place where it met the same schema first: inside a branch, which is gone.
    const point = z3.object({ x: z3.number(), y: z3.number() });
    const schema = z3.union([z3.object({ from: point }), z3.object({ to: point, via: z3.array(point) })]);
    expect(JSON.stringify(await (await probe(schema)).listed('any'))).toContain(
      '"#/anyOf/0/properties/from"',
    );
    const flat = await flatOf(schema);
    expect(flat.anyOf).toBeUndefined();
    expect(JSON.stringify(flat)).toContain('$ref');
    expect(danglingReferences(flat)).toEqual([]);
  });

  test('of a root that is itself a reference has the properties in place', async () => {
    const schema = {
      type: 'object',
      $ref: '#/definitions/Search',
      definitions: { Search: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] } },
    } as const satisfies JsonSchemaInput;
    expect(await flatOf(schema)).toMatchObject({ properties: { q: { type: 'string' } }, required: ['q'] });
    expect(await (await probe(schema)).listed('any')).toEqual(schema);
  });

  test('of a union that contains itself comes to an end', async () => {
    const schema: JsonSchemaInput = {
      anyOf: [{ $ref: '#' }, { type: 'object', properties: { a: { type: 'string' } } }],
    };
    expect(await flatOf(schema)).toMatchObject({ type: 'object', properties: { a: { type: 'string' } } });
  });
});
