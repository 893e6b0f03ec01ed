// @ts-check
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const MOST_COLOURS = 256;

/**
 * The same picture with at most 256 colours, which is a third of the size. The most frequent ones are kept as they are, so
 * that surfaces stay even; only the rare ones at the edges of letters move a little.
 *
 * @param {Buffer} png without transparency, as browsers write screenshots
 */
export function smallPng(png) {
  const { width, height, pixels } = decoded(png);
  const palette = coloursOf(pixels);
  const indices = indexed(pixels, palette);
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    rows.set(indices.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/**
 * @param {Buffer} png
 * @returns {{ width: number, height: number, pixels: Uint32Array }} colours as 0xRRGGBB
 */
function decoded(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const bytes = png[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
  }
  const raw = unfiltered(inflateSync(Buffer.concat(parts)), width * bytes, height, bytes);
  const pixels = new Uint32Array(width * height);
  for (let index = 0; index < pixels.length; index += 1) {
    const at = index * bytes;
    pixels[index] = ((raw[at] ?? 0) << 16) | ((raw[at + 1] ?? 0) << 8) | (raw[at + 2] ?? 0);
  }
  return { width, height, pixels };
}

/**
 * Takes back the differences to the neighbours that a PNG stores.
 *
 * @param {Buffer} data
 * @param {number} stride
 * @param {number} height
 * @param {number} bytes
 */
function unfiltered(data, stride, height, bytes) {
  const raw = new Uint8Array(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = data[row * (stride + 1)];
    for (let column = 0; column < stride; column += 1) {
      const at = row * stride + column;
      const left = column < bytes ? 0 : (raw[at - bytes] ?? 0);
      const above = row === 0 ? 0 : (raw[at - stride] ?? 0);
      const corner = row === 0 || column < bytes ? 0 : (raw[at - stride - bytes] ?? 0);
      raw[at] = (data[row * (stride + 1) + 1 + column] ?? 0) + predicted(filter, left, above, corner);
    }
  }
  return raw;
}

/**
 * @param {number | undefined} filter
 * @param {number} left
 * @param {number} above
 * @param {number} corner
 */
function predicted(filter, left, above, corner) {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter !== 4) return 0;
  const [a, b, c] = [above - corner, left - corner, left + above - 2 * corner].map(Math.abs);
  if ((a ?? 0) <= (b ?? 0) && (a ?? 0) <= (c ?? 0)) return left;
  return (b ?? 0) <= (c ?? 0) ? above : corner;
}

/**
 * @param {Uint32Array} pixels
 * @returns {number[]}
 */
function coloursOf(pixels) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const sorted = [...counts].sort((one, other) => other[1] - one[1]).map(([colour]) => colour);
  return sorted.slice(0, MOST_COLOURS);
}

/**
 * @param {Uint32Array} pixels
 * @param {readonly number[]} palette
 */
function indexed(pixels, palette) {
  const known = new Map(palette.map((colour, index) => [colour, index]));
  return Uint8Array.from(pixels, (pixel) => {
    const index = known.get(pixel) ?? nearest(pixel, palette);
    known.set(pixel, index);
    return index;
  });
}

/**
 * @param {number} colour
 * @param {readonly number[]} palette
 */
function nearest(colour, palette) {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, each] of palette.entries()) {
    const distance =
      ((colour >> 16) - (each >> 16)) ** 2 +
      (((colour >> 8) & 255) - ((each >> 8) & 255)) ** 2 +
      ((colour & 255) - (each & 255)) ** 2;
    if (distance >= least) continue;
    best = index;
    least = distance;
  }
  return best;
}
