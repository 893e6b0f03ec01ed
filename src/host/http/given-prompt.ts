import { isRecord } from '../../protocol/base/kinds.js';
import type { UserContentBlock } from '../../protocol/wire/content.js';
import { Problem } from './problems.js';

/** A prompt that a stranger has sent: text, pictures and documents, and nothing that only an agent may say. */
export function givenPrompt(value: unknown): string | UserContentBlock[] {
  if (typeof value === 'string' && value !== '') return value;
  if (Array.isArray(value) && value.length > 0) return value.map(givenBlock);
  throw new Problem(400, '`prompt` must be a text or a list of content blocks, and not be empty.');
}

/** Results of tools and thoughts are not for a stranger to say, and hints for caches cost money. */
function givenBlock(block: unknown): UserContentBlock {
  if (isRecord(block)) {
    if (block.type === 'text' && typeof block.text === 'string') return { type: 'text', text: block.text };
    const source = givenSource(block.source);
    if (source !== undefined && block.type === 'image') {
      return { type: 'image', source } as UserContentBlock;
    }
    if (source !== undefined && block.type === 'document') {
      const title = typeof block.title === 'string' ? { title: block.title } : {};
      return { type: 'document', source, ...title } as UserContentBlock;
    }
  }
  throw new Problem(400, 'A content block must be a text, an image or a document.');
}

/** No files by their id: they may be of another tenant. */
function givenSource(source: unknown): Record<string, string> | undefined {
  if (!isRecord(source)) return undefined;
  const { type, url, media_type, data } = source;
  if (type === 'url' && typeof url === 'string' && /^https?:\/\//i.test(url)) return { type, url };
  const isInline = type === 'base64' || type === 'text';
  return isInline && typeof media_type === 'string' && typeof data === 'string'
    ? { type, media_type, data }
    : undefined;
}
