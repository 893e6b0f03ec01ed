import type { UserContentBlock } from '../../../protocol/wire/content.js';
import { Problem } from '../problems.js';

const IMAGES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const PDF = 'application/pdf';

/** A file of a chat message as a block of a prompt. Files come as data in their address, or as an address of the web. */
export function givenFile({ url, mediaType, filename }: Record<string, unknown>): UserContentBlock {
  if (typeof url !== 'string' || typeof mediaType !== 'string') throw unfit();
  const title = typeof filename === 'string' ? { title: filename } : {};
  if (/^https?:\/\//i.test(url)) {
    const source = { type: 'url' as const, url };
    if (mediaType.startsWith('image')) return { type: 'image', source };
    if (mediaType === PDF) return { type: 'document', source, ...title };
    throw unfit();
  }
  const { type, data } = inlineData(url);
  if (IMAGES.includes(type)) {
    return { type: 'image', source: { type: 'base64', media_type: type, data } } as UserContentBlock;
  }
  if (type === PDF) return { type: 'document', source: { type: 'base64', media_type: PDF, data }, ...title };
  if (!type.startsWith('text/')) throw unfit();
  const source = { type: 'text' as const, media_type: 'text/plain' as const, data: decodedText(data) };
  return { type: 'document', source, ...title };
}

/** `data:image/png;base64,…` */
function inlineData(url: string): { type: string; data: string } {
  const [, type = '', data = ''] = /^data:([\w.+-]+\/[\w.+-]+)[^,]*;base64,([\w+/=-]*)$/.exec(url) ?? [];
  if (data === '') throw unfit();
  return { type: type.toLowerCase(), data };
}

function decodedText(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (each) => each.codePointAt(0) ?? 0));
  } catch {
    throw unfit();
  }
}

function unfit(): Problem {
  return new Problem(400, 'A file must be a picture (JPEG, PNG, GIF, WebP), a PDF or a text.');
}
