import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { LineWriter } from '../../src/protocol/transport/pipes.js';

function recorder(): { stream: Writable; written: string[] } {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      done();
    },
  });
  return { stream, written };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('writes what is sent in one go as one piece, in order', async () => {
  const { stream, written } = recorder();
  const writer = new LineWriter(stream);
  for (let index = 0; index < 64; index += 1) writer.write(String(index));
  // Handlers that are done a few promises later are still of the same go.
  await Promise.resolve();
  writer.write('64');
  expect(written).toEqual([]);
  await nextTurn();
  expect(written).toEqual([Array.from({ length: 65 }, (_, index) => `${index}\n`).join('')]);
});

it('writes a long line at once, after what came before it', () => {
  const { stream, written } = recorder();
  const writer = new LineWriter(stream);
  const long = 'x'.repeat(100_000);
  writer.write('short');
  writer.write(long);
  expect(written).toEqual(['short\n', `${long}\n`]);
});

it('tells when the reader is behind', () => {
  const stream = new Writable({ highWaterMark: 100, write: () => {} });
  const writer = new LineWriter(stream);
  expect(writer.write('x'.repeat(50))).toBe(true);
  expect(writer.write('x'.repeat(60))).toBe(false);
});

it('loses what was not written when the stream has ended, and does not throw', async () => {
  const { stream, written } = recorder();
  const writer = new LineWriter(stream);
  writer.write('late');
  stream.destroy();
  await nextTurn();
  expect(written).toEqual([]);
});
