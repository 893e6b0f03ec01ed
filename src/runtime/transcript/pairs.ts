import { TenonError } from '../../protocol/base/errors.js';
import type { MessageParam, ToolResultBlockParam, UserContentBlock } from '../../protocol/wire/content.js';

// The model's API rejects a history in which a call has no result in the next message, or a result has no
// call in the previous one.

const CUT_OFF = 'The call was cut off before it had a result. It may have had an effect.';
/** Of a call that a hook has deferred. */
export const PUT_OFF = 'The call was put off by a hook. It has not run.';

/**
 * Repairs what a crash in the middle of a turn, or a lost line, can leave: calls without results and
 * results without calls. `deferred`: the calls that have certainly not run.
 */
export function repaired(
  messages: readonly MessageParam[],
  deferred: ReadonlySet<string> = new Set(),
): MessageParam[] {
  const cutOff = (ids: readonly string[]): ToolResultBlockParam[] =>
    ids.map((id) => withoutResult(id, deferred.has(id) ? PUT_OFF : CUT_OFF));
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

function withoutResult(id: string, content: string): ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: id, content, is_error: true };
}

/** Checks a history that the user gives: every call needs its result in the next message. */
export function checkPairs(messages: readonly MessageParam[]): void {
  const problem = brokenPair(messages, 'history');
  if (problem !== undefined) throw new TenonError('INVALID_OPTION', problem);
}

/** Describes the first call without a result, or result without a call; `name` is the name of the list. */
export function brokenPair(messages: readonly MessageParam[], name: string): string | undefined {
  for (const [index, message] of messages.entries()) {
    const answered = new Set(toolResultsOf(messages[index + 1]));
    const missing = toolUsesOf(message).find((id) => !answered.has(id));
    if (missing !== undefined) {
      return `${name}[${index}]: the call "${missing}" has no result in the next message.`;
    }
    const before = new Set(toolUsesOf(messages[index - 1]));
    const stray = toolResultsOf(message).find((id) => !before.has(id));
    if (stray !== undefined) {
      return `${name}[${index}]: the result "${stray}" answers no call in the previous message.`;
    }
  }
  return undefined;
}

function contentOf(message: MessageParam | undefined): UserContentBlock[] {
  return typeof message?.content === 'string' ? [{ type: 'text', text: message.content }] : blocksOf(message);
}

export function blocksOf(message: MessageParam | undefined): UserContentBlock[] {
  const content = message?.content;
  return Array.isArray(content) ? (content as UserContentBlock[]) : [];
}

function toolUsesOf(message: MessageParam | undefined): string[] {
  return blocksOf(message).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

function toolResultsOf(message: MessageParam | undefined): string[] {
  return blocksOf(message).flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}
