import type { SDKPartialAssistantMessage } from '../../protocol/wire/messages/index.js';
import type { HostMessage } from '../host-messages.js';

/** The field of a delta that grows, by its type. */
const GROWING: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
};

type Growing = { type: string } & Record<string, unknown>;

/** Two pieces of one text that follow each other, as one; undefined if they are anything else. */
export function joined(before: HostMessage | undefined, after: HostMessage): HostMessage | undefined {
  if (before?.type !== 'stream_event' || after.type !== 'stream_event') return undefined;
  const [first, second] = [before.event, after.event];
  if (first.type !== 'content_block_delta' || second.type !== 'content_block_delta') return undefined;
  if (first.index !== second.index || before.parent_tool_use_id !== after.parent_tool_use_id)
    return undefined;
  const [head, tail] = [first.delta as unknown as Growing, second.delta as unknown as Growing];
  const field = GROWING[head.type];
  if (field === undefined || head.type !== tail.type) return undefined;
  const [start, end] = [head[field], tail[field]];
  if (typeof start !== 'string' || typeof end !== 'string') return undefined;
  const event = { ...second, delta: { ...tail, [field]: start + end } };
  return { ...after, event: event as unknown as SDKPartialAssistantMessage['event'] };
}
