/** Values that repeat are written once, and come back as they were (R56). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BlockReader } from '../../src/observe/block-reader.js';
import { BlockWriter } from '../../src/observe/blocks.js';

function throughTape(values: readonly unknown[]): { read: unknown[]; chars: number } {
  const [writer, reader] = [new BlockWriter(), new BlockReader()];
  let chars = 0;
  const read = values.map((value) => {
    const { blocks, json } = writer.line(JSON.stringify(value));
    for (const block of blocks) {
      chars += block.line.length;
      reader.add(JSON.parse(block.line));
    }
    chars += json.length;
    return reader.filled(JSON.parse(json));
  });
  return { read, chars };
}

it('a history that grows costs what is new in it, not what it is (R56)', () => {
  const message = (index: number) => ({
    role: 'user',
    content: [{ type: 'text', text: `${index} `.repeat(500) }],
  });
  const requests = Array.from({ length: 40 }, (_, length) => ({
    messages: Array.from({ length }, (_, index) => message(index)),
  }));
  const { read, chars } = throughTape(requests);
  expect(read).toEqual(requests);
  expect(chars).toBeLessThan(JSON.stringify(requests).length / 8);
});

it('whatever JSON there is comes back, also what looks like a reference (R56)', () => {
  const odd = fc.record({ $block: fc.jsonValue(), text: fc.string({ maxLength: 3000 }) });
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.jsonValue(), odd, fc.array(odd))), (values) => {
      const plain = JSON.parse(JSON.stringify(values));
      expect(throughTape(plain).read).toEqual(plain);
    }),
    { numRuns: 200 },
  );
});
