/** Patterns with `*` are matched in one pass: names come from strangers, and may be long (R69). */
import { expect, it } from 'vitest';
import { matchesWildcard } from '../../src/protocol/permissions/permission-rules.js';
import fc from '../support/property.js';

it('a pattern matches what the expression would match in which each `*` is `.*`', () => {
  const pattern = fc.stringMatching(/^[ab.*]{0,8}$/);
  fc.assert(
    fc.property(pattern, fc.stringMatching(/^[ab.]{0,10}$/), (written, text) => {
      const parts = written.split('*').map((part) => part.replaceAll('.', '\\.'));
      expect(matchesWildcard(written, text)).toBe(new RegExp(`^${parts.join('.*')}$`).test(text));
    }),
    { numRuns: 2_000 },
  );
});

it('a pattern with many stars is done with a long name, which an expression is not (R69)', () => {
  const name = `mcp__s__${'a'.repeat(60_000)}`;
  expect(matchesWildcard(`mcp__s__${'*a'.repeat(40)}*b`, name)).toBe(false);
  expect(matchesWildcard(`mcp__s__${'*a'.repeat(40)}*`, name)).toBe(true);
});
