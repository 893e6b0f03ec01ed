import type { TapeFrame } from '../tape-format.js';
import type { Run } from './run.js';
import { type Fields, fieldsOf, jsonOf, recordsOf, stringOf, textOf } from './values.js';
import type { ShownBlock, ShownMessage } from './views.js';

/** Messages of the kind `system` that say something to a reader. */
const NOTED: ReadonlySet<unknown> = new Set([
  'init',
  'api_retry',
  'compact_boundary',
  'informational',
  'permission_denied',
  'task_started',
  'task_notification',
]);

/** The conversation, in order. */
export function messagesOf(run: Run): readonly ShownMessage[] {
  const kept = KEPT.get(run) ?? { messages: [], frames: 0 };
  KEPT.set(run, kept);
  // Frames never change, so only those that are new must be looked at.
  for (; kept.frames < run.frames.length; kept.frames += 1) {
    const shown = shownMessage(run, run.frames[kept.frames] as TapeFrame);
    if (shown !== undefined) kept.messages.push(shown);
  }
  return kept.messages;
}

const KEPT = new WeakMap<Run, { readonly messages: ShownMessage[]; frames: number }>();

function shownMessage(run: Run, line: TapeFrame): ShownMessage | undefined {
  const frame = fieldsOf(line.frame);
  const common = { frame: line.n, t: line.t, parent: stringOf(frame.parent_tool_use_id) };
  if (frame.type === 'assistant' || frame.type === 'user') {
    const message = fieldsOf(frame.message);
    const blocks = shownBlocks(message.content, (id) => run.tools.get(id)?.name);
    return { ...common, role: frame.type, blocks, note: noteOf(frame, message) };
  }
  if (frame.type === 'result') return { ...common, role: 'result', ...resultOf(frame) };
  if (frame.type !== 'system' || !NOTED.has(frame.subtype)) return undefined;
  const text = systemText(frame);
  return {
    ...common,
    role: 'system',
    blocks: text === '' ? [] : [textBlock(text)],
    note: stringOf(frame.subtype),
  };
}

function noteOf(frame: Fields, message: Fields): string | undefined {
  if (frame.error !== undefined) return `error: ${stringOf(frame.error) ?? 'unknown'}`;
  if (frame.type === 'user') return frame.isSynthetic === true ? 'written by the agent' : undefined;
  return stringOf(message.model);
}

function resultOf(frame: Fields): Pick<ShownMessage, 'blocks' | 'note'> {
  const errors = recordsOfText(frame.errors);
  const text = stringOf(frame.result) ?? errors;
  const reason = stringOf(frame.terminal_reason) ?? stringOf(frame.stop_reason);
  const note = [stringOf(frame.subtype), reason].filter((part) => part !== undefined).join(' · ');
  return { blocks: text === '' ? [] : [{ ...textBlock(text), isError: frame.is_error === true }], note };
}

function recordsOfText(value: unknown): string {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string').join('\n') : '';
}

function systemText(frame: Fields): string {
  const { subtype } = frame;
  if (subtype === 'api_retry') {
    return `attempt ${jsonOf(frame.attempt)} failed: ${stringOf(frame.error) ?? jsonOf(frame.error_status)}`;
  }
  if (subtype === 'compact_boundary') return jsonOf(frame.compact_metadata);
  if (subtype === 'init') return stringOf(frame.model) ?? '';
  const { content, message, summary, description } = frame;
  return stringOf(content) ?? stringOf(message) ?? stringOf(summary) ?? stringOf(description) ?? '';
}

const textBlock = (text: string): ShownBlock => ({ kind: 'text', text });

/** The content of a message as it is shown. `nameOf` knows the tools of results. */
export function shownBlocks(
  content: unknown,
  nameOf: (toolUseId: unknown) => string | undefined,
): readonly ShownBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [textBlock(content)];
  return recordsOf(content).map((block) => shownBlock(block, nameOf));
}

function shownBlock(block: Fields, nameOf: (toolUseId: unknown) => string | undefined): ShownBlock {
  const { type } = block;
  if (type === 'text') return textBlock(stringOf(block.text) ?? '');
  if (type === 'thinking') return { kind: 'thinking', text: stringOf(block.thinking) ?? '' };
  if (type === 'image')
    return { kind: 'image', text: stringOf(fieldsOf(block.source).media_type) ?? 'image' };
  if (type === 'tool_use') {
    return {
      kind: 'tool_use',
      text: jsonOf(block.input),
      tool: stringOf(block.name),
      toolUseId: stringOf(block.id),
      value: block.input,
    };
  }
  if (type === 'tool_result') {
    return {
      kind: 'tool_result',
      text: textOf(block.content),
      tool: nameOf(block.tool_use_id),
      toolUseId: stringOf(block.tool_use_id),
      isError: block.is_error === true,
      value: block.content,
    };
  }
  return { kind: 'other', text: stringOf(type) ?? 'block', value: block };
}
