/** Every library × every kind of schema: what the model is shown, what the handler gets, what is refused (R3, pains 2 and 4, wish 5). */
import { describe, expect, test } from 'vitest';
import { goldenFile } from './golden.js';
import { LIBRARIES, type MemberKind } from './libraries.js';
import { probe } from './probe.js';

const TREE = { name: 'a', children: [{ name: 'b', children: [] }] };
const WHEN = '2026-01-02T03:04:05Z';

/** For each kind: arguments that fit, what the handler then gets where that differs, and arguments that do not fit. */
const ARGUMENTS: Record<MemberKind, { good: object; got?: object; bad: object }> = {
  string: { good: { value: 'x' }, bad: { value: 1 } },
  number: { good: { value: 1.5 }, bad: { value: 'one' } },
  boolean: { good: { value: true }, bad: { value: 'yes' } },
  describe: { good: { value: 'x' }, bad: { value: 1 } },
  default: { good: {}, got: { value: 'low' }, bad: { value: 1 } },
  optional: { good: {}, bad: { value: 1 } },
  enum: { good: { value: 'bug' }, bad: { value: 'feature' } },
  nullable: { good: { value: null }, bad: { value: 1 } },
  record: { good: { value: { a: 1 } }, bad: { value: { a: 'x' } } },
  nested: { good: { value: { deep: { flag: true } } }, bad: { value: { deep: { flag: 'x' } } } },
  array: { good: { value: ['a', 'b'] }, bad: { value: ['a', 1] } },
  union: { good: { value: 1 }, bad: { value: true } },
  date: { good: { value: WHEN }, got: { value: new Date(WHEN) }, bad: { value: 'tomorrow' } },
  recursive: { good: { value: TREE }, bad: { value: { name: 'a', children: [{ name: 1, children: [] }] } } },
};

/** ArkType numbers its definitions as they come; only which is which matters. */
function withStableNames(schema: object): object {
  const names = new Map<string, string>();
  const stable = (name: string): string => {
    if (!names.has(name)) names.set(name, `node${names.size + 1}`);
    return names.get(name) as string;
  };
  return JSON.parse(JSON.stringify(schema).replaceAll(/(?<=["/])(intersection|type)\d+(?=")/g, stable));
}

describe.each(Object.entries(LIBRARIES))('%s', (name, library) => {
  const golden = goldenFile(name);
  describe.each(Object.entries(ARGUMENTS))('%s', (kindName, { good, got, bad }) => {
    const kind = kindName as MemberKind;
    const expected = kind === 'date' && !library.hasDates ? good : (got ?? good);
    const forms = { shape: library.shape(kind), object: library.object(kind) };
    for (const [form, schema] of Object.entries(forms)) {
      if (schema === undefined) continue;
      test(`as ${form === 'shape' ? 'a raw shape' : 'an object'}`, async () => {
        const { listed, given } = await probe(schema);
        const shown = await listed('any');
        golden.check(`${kind} (${form})`, withStableNames(shown));
        expect(shown).toMatchObject({ type: 'object', properties: { value: {} } });
        expect(await listed('claude-code')).toEqual(shown);
        expect(await given(good)).toEqual(expected);
        expect(await given(bad)).toMatch(/^Invalid arguments for tool "probe": .*\bvalue\b/s);
      });
    }
  });

  for (const kind of ['root union', 'root discriminated union'] as const) {
    test(`${kind}: as it is for other clients, flat for the CLI`, async () => {
      const { listed } = await probe(library.root(kind));
      const [untouched, flat] = [await listed('any'), await listed('claude-code')];
      golden.check(kind, withStableNames(untouched));
      golden.check(`${kind}, for the CLI`, withStableNames(flat));
      expect(untouched.oneOf ?? untouched.anyOf).toHaveLength(2);
      expect(untouched.type).toBe('object');
      expect(flat).toMatchObject({ type: 'object' });
      for (const keyword of ['oneOf', 'anyOf', 'allOf']) expect(flat).not.toHaveProperty(keyword);
    });
  }

  test('root discriminated union: the CLI is told the tags as an enum, and requires what all branches require', async () => {
    const flat = await (await probe(library.root('root discriminated union'))).listed('claude-code');
    expect(flat.properties?.kind).toMatchObject({ enum: ['circle', 'square'] });
    expect(Object.keys(flat.properties ?? {}).toSorted()).toEqual([
      'kind',
      'label',
      'note',
      'radius',
      'side',
    ]);
    expect(flat.required?.toSorted()).toEqual(['kind', 'label']);
  });

  test('root unions: the model is held to the real schema', async () => {
    const either = await probe(library.root('root union'));
    expect(await either.given({ a: 'x' })).toEqual({ a: 'x' });
    expect(await either.given({ b: 2 })).toEqual({ b: 2 });
    expect(await either.given({})).toMatch(/^Invalid arguments for tool "probe": /);
    const shapes = await probe(library.root('root discriminated union'));
    const square = { kind: 'square', label: 'x', side: 2 };
    expect(await shapes.given(square)).toEqual(square);
    // The flat schema would let it pass.
    expect(await shapes.given({ kind: 'circle', label: 'x', side: 2 })).toMatch(/^Invalid arguments/);
    expect(await shapes.given({ kind: 'triangle', label: 'x' })).toMatch(/^Invalid arguments/);
  });
});

test.each(Object.keys(ARGUMENTS) as MemberKind[])(
  'plain JSON Schema (%s) goes out byte for byte',
  async (kind) => {
    const schema = LIBRARIES['plain JSON Schema']?.object(kind) ?? {};
    const { listed } = await probe(schema);
    for (const audience of ['any', 'claude-code'] as const) {
      expect(JSON.stringify(await listed(audience))).toBe(JSON.stringify(schema));
    }
  },
);
