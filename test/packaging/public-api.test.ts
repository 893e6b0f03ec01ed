/**
 * The names that the package exports are a promise. They are written down in api/; a change shows up as a change of
 * those files (`npx vitest run test/packaging/public-api.test.ts --update`).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

interface Entry {
  types: string;
  default: string;
  /** For places that are not Node. */
  workerd?: string;
}

const entries = Object.entries(manifest.exports as Record<string, Entry | string>).filter(
  (entry): entry is [string, Entry] => typeof entry[1] === 'object',
);
/** Entries with names of their own; the others are second names of one of them. */
const originals = entries.filter(
  ([, { types }], index) => entries.findIndex(([, other]) => other.types === types) === index,
);

/** Every name in the declarations of an entry. `export *` would be names that this test does not see. */
function declaredNames(path: string): string[] {
  const text = readFileSync(new URL(path, root), 'utf8');
  expect(text).not.toMatch(/^export (\*|default)/m);
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gms)].flatMap(([, names = '']) =>
    names.split(',').map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/^.* as /, ''),
    ),
  );
  const own = text.matchAll(
    /^export (?:declare )?(?:abstract )?(?:const|function|class|interface|type) (\w+)/gm,
  );
  return [...lists, ...new Set([...own].map(([, name = '']) => name))].filter((name) => name !== '');
}

describe('the exports of', () => {
  it('tenon/core are those of tenon, and those of tenon/sdk-tools have two names', () => {
    expect(manifest.exports['./core']).toEqual(manifest.exports['.']);
    expect(manifest.exports['./sdk-tools.js']).toEqual(manifest.exports['./sdk-tools']);
    expect(entries.filter((entry) => !originals.includes(entry)).map(([name]) => name)).toEqual([
      './core',
      './sdk-tools.js',
    ]);
  });

  it.each(originals)(
    '%s are those that are written down',
    async (name, { types, default: code, workerd = code }) => {
      const values = new Set(Object.keys(await import(new URL(code, root).href)));
      expect(Object.keys(await import(new URL(workerd, root).href)).sort()).toEqual([...values].sort());
      const names = declaredNames(types);
      expect(names.filter((each) => names.indexOf(each) !== names.lastIndexOf(each))).toEqual([]);
      expect([...values].filter((value) => !names.includes(value))).toEqual([]);
      const list = names.map((each) => `${values.has(each) ? 'value' : 'type'} ${each}`).sort();
      const file = name === '.' ? 'index' : name.slice(2).replaceAll('/', '-');
      await expect(`${list.join('\n')}\n`).toMatchFileSnapshot(`../../api/${file}.txt`);
    },
  );
});

it('package.json can be imported too, and everything that exports names is there', () => {
  expect(manifest.exports['./package.json']).toBe('./package.json');
  for (const [, { types, default: code }] of entries) {
    expect(readFileSync(new URL(types, root), 'utf8')).not.toBe('');
    expect(readFileSync(new URL(code, root), 'utf8')).not.toBe('');
  }
});
