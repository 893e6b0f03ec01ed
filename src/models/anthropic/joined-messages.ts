import type { MessageParam } from '../../protocol/wire/content.js';

type Blocks = Exclude<MessageParam['content'], string>;

/**
 * Messages of the user that follow each other are one, as the CLI sends them: after an interrupt, what the user says
 * next comes with the results, which are in front, where the API wants them.
 */
export function joinedMessages(messages: readonly MessageParam[]): MessageParam[] {
  const joined: MessageParam[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === 'user' && message.role === 'user') {
      const content = [...blocksOf(last), ...blocksOf(message)] as Blocks;
      joined.splice(-1, 1, { ...last, content });
    } else joined.push(message);
  }
  return joined;
}

function blocksOf({ content }: MessageParam): Blocks {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
