import { expect, it } from 'vitest';
import { replaceIn } from '../../../src/workspace/files/replace-text.js';
import { decodeText, encodeText, withPlainLineEnds } from '../../../src/workspace/files/text-file.js';
import fc from '../../support/property.js';

/** Few letters, so that texts repeat and overlap; quotes of both kinds, both line ends, and what replacements may misread. */
const letters = fc.constantFrom(
  'a',
  'b',
  ' ',
  '\n',
  '\r\n',
  '\r',
  '"',
  '“',
  '”',
  "'",
  '’',
  '$&',
  'é',
  '🌍',
  '\t',
);
const texts = fc.array(letters, { maxLength: 30 }).map((parts) => parts.join(''));
const file = fc.tuple(fc.constantFrom('', '\uFEFF'), texts).map((parts) => parts.join(''));

const straight = (text: string) => text.replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, '"');

it('R49: an edit either replaces the one text that is meant, and leaves every other byte, or changes nothing', () => {
  let made = 0;
  fc.assert(
    fc.property(
      file,
      fc.nat(30),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      texts,
      (raw, from, length, isPlain, put) => {
        // A part of the file, as the model may write it.
        const part = withPlainLineEnds(raw).slice(from, from + length);
        const find = isPlain ? straight(part) : part;
        fc.pre(find !== '');
        const before = decodeText(new TextEncoder().encode(raw));
        const replaced = replaceIn(before, { find, put, all: false });
        if (replaced.kind !== 'done') return;
        made += 1;
        // What was found is once in the file, read with plain line ends, and looks like what was wanted.
        const plain = withPlainLineEnds(raw);
        const place = plain.indexOf(replaced.found);
        expect(plain.indexOf(replaced.found, place + 1)).toBe(-1);
        const wanted = raw.includes('\r\n') ? withPlainLineEnds(find) : find;
        expect(straight(replaced.found)).toBe(straight(wanted));
        // The bytes before it and after it are the same, but for the end of a line that goes as a whole.
        const end = place + replaced.found.length;
        const isLine = (place === 0 || plain[place - 1] === '\n') && plain[end] === '\n';
        const takesEnd = put === '' && isLine && !replaced.found.endsWith('\n');
        const head = rawPart(raw, 0, place);
        const tail = rawPart(raw, takesEnd ? end + 1 : end, plain.length);
        const meant = before.lineEnd === '\r\n' ? withPlainLineEnds(put).replaceAll('\n', '\r\n') : put;
        expect(replaced.raw.slice(0, head.length)).toBe(head);
        expect(replaced.raw.slice(head.length + meant.length)).toBe(tail);
        expect(straight(replaced.raw.slice(head.length, head.length + meant.length))).toBe(straight(meant));
      },
    ),
    { numRuns: 2000 },
  );
  expect(made).toBeGreaterThan(300);
});

it('R49: an edit keeps the byte-order mark, and the line ends of a file that has one kind', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'ab', ''), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(lines, fc.constantFrom('\n', '\r\n'), fc.boolean(), texts, (words, end, isMarked, put) => {
      const raw = (isMarked ? '\uFEFF' : '') + words.join(end) + end;
      const plainPut = put.replaceAll('\r', '');
      const before = decodeText(new TextEncoder().encode(raw));
      const replaced = replaceIn(before, { find: 'a', put: plainPut, all: true });
      if (replaced.kind !== 'done') return;
      expect(replaced.raw.startsWith('\uFEFF')).toBe(isMarked);
      const kinds = new Set(replaced.raw.match(/\r?\n/g) ?? []);
      expect([...kinds].filter((kind) => kind !== end)).toEqual([]);
    }),
  );
});

it('R49: what is decoded is encoded to the same bytes, unless it is said to be damaged', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const { raw, encoding, damage } = decodeText(bytes);
      if (damage === undefined) expect(encodeText(raw, encoding)).toEqual(bytes);
    }),
  );
});

/** The part of a text that is at these places once its line ends are plain. */
function rawPart(raw: string, from: number, to: number): string {
  const parts = raw.match(/\r\n|[\s\S]/g) ?? [];
  return parts.slice(from, to).join('');
}
