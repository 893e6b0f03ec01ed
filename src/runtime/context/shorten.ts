import type { MessageParam, ToolResultBlockParam, UserContentBlock } from '../../protocol/wire/content.js';
import { tokensIn } from './context-window.js';

// Ways to shorten a list of messages. A call and its result stay together in all of them.

const CLEARED = '[This result was cleared to make room. Call the tool again if you need it.]';
/** Shorter results are not worth it. */
const LEAST_CLEARED_TOKENS = 100;

type Blocks = readonly UserContentBlock[];

/** The first message of the end that is kept: about `keep` tokens, and at least the last message with what it answers. */
export function startOfEnd(
  messages: readonly MessageParam[],
  sizes: readonly number[],
  keep: number,
): number {
  let start: number | undefined;
  let sum = 0;
  for (let index = messages.length - 1; index > 0; index -= 1) {
    sum += sizes[index] ?? 0;
    if (start !== undefined && sum > keep) break;
    // A result without its call in front of it cannot be sent.
    if (!hasResults(messages[index] as MessageParam)) start = index;
  }
  return start ?? 0;
}

/** Where the last answer begins, if there is another one before it; otherwise the end. */
export function startOfAnswer(messages: readonly MessageParam[]): number {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.findIndex(({ role }) => role === 'assistant') < last ? last : messages.length;
}

/** Where the last answer begins, with what follows it; only what follows it if it is the first, and no call. */
export function startOfLast(messages: readonly MessageParam[]): number {
  const answer = startOfAnswer(messages);
  if (answer < messages.length) return answer;
  const last = messages.length - 1;
  return last >= 0 && hasResults(messages[last] as MessageParam) ? last - 1 : Math.max(0, last);
}

/** The messages before `end` without what their tools have returned; the same objects where nothing was taken. */
export function clearedUntil(messages: readonly MessageParam[], end: number): MessageParam[] {
  return messages.map((message, index) => (index < end ? withoutResults(message) : message));
}

/** Clears the largest results of all until about `excess` tokens are gone, the newest last. */
export function clearedByNeed(messages: readonly MessageParam[], excess: number): MessageParam[] {
  const shortened = [...messages];
  let left = excess;
  for (let index = 0; index < shortened.length && left > 0; index += 1) {
    const message = shortened[index] as MessageParam;
    const cleared = withoutResults(message, left);
    left -= tokensIn(message.content) - tokensIn(cleared.content);
    shortened[index] = cleared;
  }
  return shortened;
}

/** With `atMost`, the largest results first, and only until so many tokens are gone. */
function withoutResults(message: MessageParam, atMost = Number.POSITIVE_INFINITY): MessageParam {
  if (!hasResults(message)) return message;
  const blocks = message.content as Blocks;
  const sizes = new Map(
    blocks.flatMap((block) => {
      const size = block.type === 'tool_result' ? tokensIn(block.content) : 0;
      return size > LEAST_CLEARED_TOKENS ? [[block, size] as const] : [];
    }),
  );
  if (sizes.size === 0) return message;
  let gone = 0;
  const cleared = new Set<UserContentBlock>();
  for (const [block, size] of [...sizes].sort(([, one], [, other]) => other - one)) {
    if (gone >= atMost) break;
    gone += size;
    cleared.add(block);
  }
  const content = blocks.map((block) =>
    cleared.has(block) ? { ...(block as ToolResultBlockParam), content: CLEARED } : block,
  );
  return { ...message, content } as MessageParam;
}

/** What is saved by the second in place of the first. */
export function tokensSaved(before: readonly MessageParam[], after: readonly MessageParam[]): number {
  return before.reduce((sum, message, index) => {
    const other = after[index];
    if (other === undefined || other === message) return sum;
    return sum + tokensIn(message.content) - tokensIn(other.content);
  }, 0);
}

function hasResults({ content }: MessageParam): boolean {
  return Array.isArray(content) && (content as Blocks).some(({ type }) => type === 'tool_result');
}

/** A conversation as text, for a model that has not led it. */
export function asText(messages: readonly MessageParam[]): string {
  return messages
    .map(({ role, content }) => {
      const parts = typeof content === 'string' ? [content] : (content as Blocks).map(blockText);
      return `<${role}>\n${parts.filter((part) => part !== '').join('\n')}\n</${role}>`;
    })
    .join('\n\n');
}

function blockText(block: { type: string }): string {
  const { text, name, input, content } = block as Partial<
    Record<'text' | 'name' | 'input' | 'content', unknown>
  >;
  switch (block.type) {
    case 'text':
      return String(text);
    case 'tool_use':
      return `[Called ${String(name)} with ${JSON.stringify(input)}]`;
    case 'tool_result': {
      const parts = Array.isArray(content) ? content.map(blockText) : [String(content ?? '')];
      return `[Result: ${parts.join('\n')}]`;
    }
    case 'thinking':
    case 'redacted_thinking':
      return '';
    default:
      return `[${block.type}]`;
  }
}
