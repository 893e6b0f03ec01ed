/** Bytes in, lines out: any text, any line ending, cut anywhere (pain 12). */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { LineSplitter } from '../../src/protocol/transport/pipes.js';
import fc from '../support/property.js';

interface Received {
  lines: string[];
  byteLengths: number[];
  oversized: { byteLength: number; head: string }[];
}

function splitterInto(received: Received, maxLineBytes?: number): LineSplitter {
  return new LineSplitter(
    {
      line: (text, byteLength) => {
        received.lines.push(text);
        received.byteLengths.push(byteLength);
      },
      oversized: (byteLength, head) => received.oversized.push({ byteLength, head }),
    },
    maxLineBytes,
  );
}

const nothing = (): Received => ({ lines: [], byteLengths: [], oversized: [] });

function split(chunks: readonly Buffer[], maxLineBytes?: number): Received {
  const received = nothing();
  const splitter = splitterInto(received, maxLineBytes);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return received;
}

/** Cuts the bytes at the given places; a place may come twice, which makes an empty chunk. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ordered = [...places].map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...ordered].map((start, index) => bytes.subarray(start, ordered[index] ?? bytes.length));
}

/** Any code points; a carriage return at the end would be part of the line ending. */
const line = fc
  .oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.constantFrom('', '🪵', 'ß\u0000'))
  .map((text) => text.replaceAll('\n', '').replace(/\r+$/, ''));
const terminated = fc.record({ text: line, ending: fc.constantFrom('\n', '\r\n') });
const places = fc.array(fc.nat(), { maxLength: 40 });

describe('the line splitter', () => {
  afterEach(() => vi.restoreAllMocks());

  it('gives back exactly the lines, wherever their bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(terminated), places, (lines, cuts) => {
        const bytes = Buffer.from(lines.map(({ text, ending }) => text + ending).join(''));
        const received = split(cut(bytes, cuts));
        expect(received.lines).toEqual(lines.map(({ text }) => text));
        expect(received.oversized).toEqual([]);
      }),
    );
  });

  it('survives a cut at every single byte, inside multi-byte sequences too', () => {
    const bytes = Buffer.from('a\r\n€uro\n\n🪵🪵\r\n{"k":"ü"}\nlast ✓');
    const expected = ['a', '€uro', '', '🪵🪵', '{"k":"ü"}', 'last ✓'];
    for (let place = 0; place <= bytes.length; place += 1) {
      expect(split(cut(bytes, [place])).lines, `cut at ${place}`).toEqual(expected);
    }
    const oneByOne = Array.from({ length: bytes.length }, (_, index) => bytes.subarray(index, index + 1));
    expect(split(oneByOne).lines).toEqual(expected);
  });

  it('reports the size of each line in bytes of the wire', () => {
    expect(split([Buffer.from('ü\r\nab\n')]).byteLengths).toEqual([3, 2]);
  });

  it('gives an unterminated last line at the end, and not before', () => {
    fc.assert(
      fc.property(fc.array(terminated), line, places, (lines, rest, cuts) => {
        const received = nothing();
        const splitter = splitterInto(received);
        const bytes = Buffer.from(lines.map(({ text, ending }) => text + ending).join('') + rest);
        for (const chunk of cut(bytes, cuts)) splitter.push(chunk);
        const whole = lines.map(({ text }) => text);
        expect(received.lines).toEqual(whole);
        splitter.end();
        expect(received.lines).toEqual(rest === '' ? whole : [...whole, rest]);
        splitter.end();
        expect(received.lines).toHaveLength(whole.length + (rest === '' ? 0 : 1));
      }),
    );
  });

  it('drops exactly the lines above maxLineBytes and reads the next ones as usual', () => {
    fc.assert(
      fc.property(fc.array(terminated), places, fc.integer({ min: 1, max: 20 }), (lines, cuts, limit) => {
        const bytes = Buffer.from(lines.map(({ text, ending }) => text + ending).join(''));
        const received = split(cut(bytes, cuts), limit);
        const sizes = lines.map(({ text, ending }) => Buffer.byteLength(text + ending) - 1);
        expect(received.lines).toEqual(
          lines.filter((_, index) => sizes[index]! <= limit).map(({ text }) => text),
        );
        expect(received.oversized.map(({ byteLength }) => byteLength)).toEqual(
          sizes.filter((size) => size > limit),
        );
      }),
    );
  });

  it('shows the beginning of a dropped line, and no more of it', () => {
    const { oversized, lines } = split([Buffer.from(`{"type":"big${'x'.repeat(5_000)}\nnext\n`)], 1_000);
    expect(oversized).toHaveLength(1);
    expect(oversized[0]?.head.startsWith('{"type":"bigxxx')).toBe(true);
    expect(oversized[0]?.head.length).toBe(200);
    expect(lines).toEqual(['next']);
  });

  it('joins a line of 64 MB once: the cost is linear in its size', () => {
    const megabyte = 1024 * 1024;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const copied: number[] = [];
    const concat = Buffer.concat.bind(Buffer);
    vi.spyOn(Buffer, 'concat').mockImplementation((list, total) => {
      const joined = concat(list, total);
      copied.push(joined.length);
      return joined;
    });
    const received = nothing();
    const splitter = splitterInto(received);
    for (let sent = 0; sent < 64 * megabyte; sent += chunk.length) splitter.push(chunk);
    expect(copied).toEqual([]);
    splitter.push(Buffer.from('\n'));
    expect(copied).toEqual([64 * megabyte]);
    expect(received.lines[0]?.length).toBe(64 * megabyte);
  });

  it('keeps nothing of a line that is too long, however long it gets', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const concat = vi.spyOn(Buffer, 'concat');
    const received = nothing();
    const splitter = splitterInto(received, 100_000);
    splitter.push(Buffer.from('start of it'));
    for (let count = 0; count < 1_000; count += 1) splitter.push(chunk);
    splitter.push(Buffer.from('\nnext\n'));
    expect(concat).toHaveBeenCalledTimes(1);
    expect(concat.mock.calls[0]?.[0]).toHaveLength(3);
    expect(received.oversized).toEqual([
      { byteLength: 11 + 64_000 * 1024, head: expect.stringMatching(/^start of itx+$/) },
    ]);
    expect(received.lines).toEqual(['next']);
  });

  it('reports a line longer than the longest string of the engine, and goes on', () => {
    const longest = 1_000;
    const original = Buffer.prototype.toString;
    vi.spyOn(Buffer.prototype, 'toString').mockImplementation(function (this: Buffer, ...args: unknown[]) {
      const [encoding, start = 0, end = this.length] = args as [BufferEncoding?, number?, number?];
      // What the engine does beyond 512 MB.
      if (end - start > longest) throw new Error('Cannot create a string longer than');
      return original.call(this, encoding, start, end);
    });
    const received = split([Buffer.from(`before\n${'y'.repeat(longest + 1)}\nafter\n`)]);
    expect(received.lines).toEqual(['before', 'after']);
    expect(received.oversized).toEqual([{ byteLength: longest + 1, head: 'y'.repeat(200) }]);
  });
});
