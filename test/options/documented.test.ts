/** The page for users says of every option what the table says: what the embedded runtime refuses, ignores and why (R11). */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPTION_TABLE } from '../../src/options/option-table.js';

const page = readFileSync(new URL('../../docs/guide/embedded-runtime.md', import.meta.url), 'utf8');
const [, section = ''] = /^## Options\n(.*?)^## /ms.exec(page) ?? [];
const documented = new Map(
  [...section.matchAll(/^\| `(\w+)` \| ([\w ]+) \| (.+) \|$/gm)].map(([, name = '', what = '', why = '']) => [
    name,
    { what, why },
  ]),
);

it('docs/guide/embedded-runtime.md names every option that does not simply act, and no other', () => {
  const special = Object.entries(OPTION_TABLE).filter(([, { embedded }]) => embedded !== 'acts');
  expect([...documented.keys()]).toEqual(special.map(([name]) => name));
});

it.each(Object.entries(OPTION_TABLE))('%s is documented with the reason that users are told', (name, row) => {
  const { embedded } = row;
  // What depends on the value is described in words of its own.
  if (embedded === 'acts' || typeof embedded === 'function') return;
  const [what, why] = 'refuses' in embedded ? ['refused', embedded.refuses] : ['ignored', embedded.ignores];
  expect(documented.get(name)).toEqual({ what, why });
});
