import type { MessageParam, ToolResultBlockParam, UserContentBlock } from '../../protocol/content.js';
import { TenonError } from '../../protocol/errors.js';

// The model's API refuses a history in which a call has no result in the next message, or a result no call before it.

const CUT_OFF = 'The call was cut off before it had a result. It may have had an effect.';

/** A crash in the middle of a turn, or a line that was lost, can leave calls without results and results without calls. */
export function repaired(messages: readonly MessageParam[]): MessageParam[] {
  const whole: MessageParam[] = [];
  let open: string[] = [];
  for (const message of messages) {
    const answered = new Set(toolResultsOf(message));
    const missing = open.filter((id) => !answered.has(id));
    const stray = [...answered].some((id) => !open.includes(id));
    const kept = stray ? withoutStrays(message, open) : message;
    if (missing.length === 0) {
      if (kept !== undefined) whole.push(kept);
    } else if (message.role === 'user') {
      whole.push({ role: 'user', content: [...cutOff(missing), ...contentOf(kept)] });
    } else {
      whole.push({ role: 'user', content: cutOff(missing) }, message);
    }
    open = toolUsesOf(message);
  }
  if (open.length > 0) whole.push({ role: 'user', content: cutOff(open) });
  return whole;
}

function withoutStrays(message: MessageParam, open: readonly string[]): MessageParam | undefined {
  const content = blocksOf(message).filter(
    (block) => block.type !== 'tool_result' || open.includes(block.tool_use_id),
  );
  return content.length === 0 ? undefined : { role: 'user', content };
}

function cutOff(ids: readonly string[]): ToolResultBlockParam[] {
  return ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: CUT_OFF, is_error: true }));
}

/** A history given by hand: every call needs its result in the next message. */
export function checkPairs(messages: readonly MessageParam[]): void {
  for (const [index, message] of messages.entries()) {
    const asked = toolUsesOf(message);
    const answered = new Set(toolResultsOf(messages[index + 1]));
    const missing = asked.find((id) => !answered.has(id));
    if (missing !== undefined) {
      throw new TenonError(
        'INVALID_OPTION',
        `history[${index}]: the call "${missing}" has no result in the next message.`,
      );
    }
    const before = new Set(toolUsesOf(messages[index - 1]));
    const stray = toolResultsOf(message).find((id) => !before.has(id));
    if (stray !== undefined) {
      throw new TenonError(
        'INVALID_OPTION',
        `history[${index}]: the result "${stray}" answers no call of the message before.`,
      );
    }
  }
}

function contentOf(message: MessageParam | undefined): UserContentBlock[] {
  return typeof message?.content === 'string' ? [{ type: 'text', text: message.content }] : blocksOf(message);
}

function blocksOf(message: MessageParam | undefined): UserContentBlock[] {
  const content = message?.content;
  return Array.isArray(content) ? (content as UserContentBlock[]) : [];
}

function toolUsesOf(message: MessageParam | undefined): string[] {
  return blocksOf(message).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

function toolResultsOf(message: MessageParam | undefined): string[] {
  return blocksOf(message).flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}
