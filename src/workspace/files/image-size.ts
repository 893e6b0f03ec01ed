// What an image is and how large, from its first bytes.

export interface ImageFacts {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Undefined if the header does not say. */
  readonly size?: { readonly width: number; readonly height: number } | undefined;
}

/** Undefined: none of the kinds that models take. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, 0, '\x89PNG\r\n\x1a\n')) return facts('image/png', () => pngSize(view));
  if (startsWith(bytes, 0, '\xff\xd8\xff')) return facts('image/jpeg', () => jpegSize(view));
  if (startsWith(bytes, 0, 'GIF8')) return facts('image/gif', () => gifSize(view));
  if (startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP')) {
    return facts('image/webp', () => webpSize(bytes, view));
  }
  return undefined;
}

type Size = NonNullable<ImageFacts['size']>;

/** A header that ends too early is read over its end. */
function facts(type: ImageFacts['type'], size: () => Size | undefined): ImageFacts {
  try {
    return { type, size: size() };
  } catch {
    return { type };
  }
}

function pngSize(view: DataView): Size {
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function gifSize(view: DataView): Size {
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** The size is in the first frame header (SOF) among the segments. */
function jpegSize(view: DataView): Size | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return undefined;
}

/** Three forms: lossy, lossless, extended. */
function webpSize(bytes: Uint8Array, view: DataView): Size | undefined {
  if (startsWith(bytes, 12, 'VP8 ')) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (startsWith(bytes, 12, 'VP8L')) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (!startsWith(bytes, 12, 'VP8X')) return undefined;
  const three = (at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000;
  return { width: three(24) + 1, height: three(27) + 1 };
}

function startsWith(bytes: Uint8Array, from: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[from + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}
