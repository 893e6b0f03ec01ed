/** Events as a host tells them, written down in a test. */
import type { HostAnswer, HostApproval, HostEvent, HostMessage } from '../../../../src/host/host-messages.js';

export const PROMPT = 'prompt-1';

type Fields = Record<string, unknown>;

const say = (fields: Fields): HostMessage => ({ session_id: 's', ...fields }) as unknown as HostMessage;

export const user = (content: unknown, uuid = PROMPT, more: Fields = {}): HostMessage =>
  say({ type: 'user', uuid, parent_tool_use_id: null, message: { role: 'user', content }, ...more });

export const result = (tool: string, content: unknown, isError = false, more: Fields = {}): HostMessage =>
  user([{ type: 'tool_result', tool_use_id: tool, content, is_error: isError }], `result-${tool}`, more);

export const block = (id: string, content: Fields, more: Fields = {}): HostMessage =>
  say({
    type: 'assistant',
    uuid: `${id}-line`,
    parent_tool_use_id: null,
    message: { id, content: [content] },
    ...more,
  });

export const said = (id: string, text: string, more?: Fields): HostMessage =>
  block(id, { type: 'text', text }, more);
export const thought = (id: string, thinking: string): HostMessage =>
  block(id, { type: 'thinking', thinking });
export const called = (id: string, tool: string, input: unknown, more?: Fields): HostMessage =>
  block(id, { type: 'tool_use', id: tool, name: 'pay', input }, more);

export const piece = (event: Fields, more: Fields = {}): HostMessage =>
  say({ type: 'stream_event', uuid: 'piece', parent_tool_use_id: null, event, ...more });
export const begins = (id: string): HostMessage => piece({ type: 'message_start', message: { id } });
export const opens = (index: number, content_block: Fields): HostMessage =>
  piece({ type: 'content_block_start', index, content_block });
export const grows = (index: number, delta: Fields): HostMessage =>
  piece({ type: 'content_block_delta', index, delta });
export const closes = (index: number): HostMessage => piece({ type: 'content_block_stop', index });

export const ended = (fields: Fields = {}): HostMessage =>
  say({ type: 'result', subtype: 'success', is_error: false, uuid: 'result', ...fields });

export const approvalOf = (tool: string, fields: Fields = {}): HostApproval =>
  ({
    id: `ask-${tool}`,
    tenant: 'acme',
    session: 's',
    since: 1,
    kind: 'permission',
    toolName: 'pay',
    toolUseId: tool,
    input: { amount: 5 },
    ...fields,
  }) as unknown as HostApproval;

export const asks = (tool: string, fields?: Fields): HostMessage => ({
  type: 'host',
  subtype: 'approval',
  prompt: PROMPT,
  approval: approvalOf(tool, fields),
});
export const answers = (tool: string, answer: HostAnswer): HostMessage => ({
  type: 'host',
  subtype: 'answered',
  approval: `ask-${tool}`,
  answer,
});
export const withdraws = (tool: string): HostMessage => ({
  type: 'host',
  subtype: 'withdrawn',
  approval: `ask-${tool}`,
});
export const done = (
  outcome: 'answered' | 'failed' | 'interrupted' | 'dropped' = 'answered',
  prompt = PROMPT,
): HostMessage => ({
  type: 'host',
  subtype: 'done',
  prompt,
  outcome,
});
export const resumed = (prompt = PROMPT): HostMessage => ({
  type: 'host',
  subtype: 'resumed',
  prompt,
  reason: 'connection to db.internal refused',
});
export const parked: HostMessage = { type: 'host', subtype: 'parked', reason: 'password "hunter2" is wrong' };

/** With ids, from 1 on. */
export function numbered(messages: readonly HostMessage[]): HostEvent[] {
  return messages.map((message, index) => ({ id: index + 1, at: 0, message }));
}
