import type { MessageParam, UserContentBlock } from '../protocol/content.js';
import type { MessageFrame } from '../protocol/frames.js';

/** What a message of the host says, as blocks. */
export function contentOf(message: MessageFrame): UserContentBlock[] {
  const { content } = (message.message ?? {}) as MessageParam;
  return typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : ((content ?? []) as UserContentBlock[]);
}

/** Its words. */
export function textOf(content: readonly UserContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
