/** The page on settings says of every key what the code says. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { SETTING_KEYS } from '../../src/config/settings/keys.js';

it('docs/guide/settings.md has the table of keys that the runtime goes by (R51)', async () => {
  const page = await readFile(new URL('../../docs/guide/settings.md', import.meta.url), 'utf8');
  const [, part = ''] = page.split('## What each key does');
  const rows = part.split('\n').filter((line) => line.startsWith('| `'));
  const expected = Object.entries(SETTING_KEYS).map(
    ([key, { effect, note }]) => `| \`${key}\` | ${effect} | ${note} |`,
  );
  expect(rows).toEqual(expected);
});

it('every key that is refused has a check, and no key that is ignored has one (R51)', () => {
  for (const [key, { effect, refuses }] of Object.entries(SETTING_KEYS)) {
    if (effect === 'refused') expect(refuses, key).toBeTypeOf('function');
    if (effect === 'ignored') expect(refuses, key).toBeUndefined();
  }
});
