// The text of a file, and the bytes of a text that takes its place: encoding, byte-order mark and line ends stay.

const BYTE_ORDER_MARK = '\uFEFF';
/** Where a NUL byte says that this is no text, or text in an encoding that cannot be told. */
const HEAD_BYTES = 8 * 1024;

export interface TextFile {
  readonly encoding: 'utf-8' | 'utf-16le';
  /** As it is on disk, with its byte-order mark and line ends. */
  readonly raw: string;
  /** What more than half of its lines end with. */
  readonly lineEnd: '\n' | '\r\n';
  /** Why it must not be written back: as text it is not the same. */
  readonly damage?: 'nul' | 'invalid' | undefined;
}

export function decodeText(bytes: Uint8Array): TextFile {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  const raw = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  const damage = damageOf(bytes, encoding);
  return { encoding, raw, lineEnd: lineEndOf(raw), ...(damage === undefined ? {} : { damage }) };
}

export function encodeText(text: string, encoding: TextFile['encoding']): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(text);
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < text.length; index += 1) {
    view.setUint16(index * 2, text.charCodeAt(index), true);
  }
  return bytes;
}

/** With `\n` at the end of each line, as a host sees it. */
export function withPlainLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** As the model reads it: with plain line ends, and without a byte-order mark. */
export function readable(raw: string): string {
  return withPlainLineEnds(raw.startsWith(BYTE_ORDER_MARK) ? raw.slice(1) : raw);
}

/** The same text, beginning with a byte-order mark if `model` does. */
export function markedLike(text: string, model: string): string {
  const isMarked = model.startsWith(BYTE_ORDER_MARK) && !text.startsWith(BYTE_ORDER_MARK);
  return isMarked ? BYTE_ORDER_MARK + text : text;
}

function damageOf(bytes: Uint8Array, encoding: TextFile['encoding']): TextFile['damage'] {
  if (encoding === 'utf-8' && bytes.subarray(0, HEAD_BYTES).includes(0)) return 'nul';
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return undefined;
  } catch {
    return 'invalid';
  }
}

function lineEndOf(text: string): TextFile['lineEnd'] {
  let windows = 0;
  let all = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    all += 1;
    if (text[at - 1] === '\r') windows += 1;
  }
  return windows * 2 > all ? '\r\n' : '\n';
}
