import { isRecord } from '../../../protocol/base/kinds.js';
import type { UIPart } from './ui-message.js';

/** A prompt as a chat page shows it. */
export function userParts(content: unknown): UIPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isRecord).flatMap(partOf) : [];
}

function partOf({ type, text, source, title }: Record<string, unknown>): UIPart[] {
  if (type === 'text' && typeof text === 'string') return [{ type: 'text', text }];
  if (!isRecord(source)) return [];
  const filename = typeof title === 'string' ? { filename: title } : {};
  if (typeof source.url === 'string') {
    const mediaType = type === 'image' ? 'image/*' : 'application/pdf';
    return [{ type: 'file', mediaType, url: source.url, ...filename }];
  }
  const { media_type: mediaType, data } = source;
  if (typeof mediaType !== 'string' || typeof data !== 'string') return [];
  const url =
    source.type === 'text'
      ? `data:${mediaType};charset=utf-8,${encodeURIComponent(data)}`
      : `data:${mediaType};base64,${data}`;
  return [{ type: 'file', mediaType, url, ...filename }];
}
