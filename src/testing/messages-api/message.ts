import type { MessageStep, ScriptedBlock, ScriptedUsage } from './steps.js';

/** Numbers messages and tool calls in the order of the answers, so that a test can write the ids down. */
export interface IdSequence {
  nextMessage(): string;
  nextToolUse(): string;
}

/** A block as it stands in a finished message. */
type WireBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: Readonly<Record<string, unknown>> };

/** A finished assistant message in the API's own form. */
export interface WireMessage {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: WireBlock[];
  stop_reason: string | null;
  stop_sequence: null;
  usage: ScriptedUsage;
}

/** One server-sent event; its `type` is also the event's name. */
export interface StreamEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

const defaultUsage: ScriptedUsage = {
  input_tokens: 10,
  output_tokens: 20,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** Turns a step into the message a client gets. Each call takes new ids, so a step may be used again. */
export function buildMessage(step: MessageStep, model: string, ids: IdSequence): WireMessage {
  const callsTool = step.blocks.some((block) => block.type === 'tool_use');
  return {
    id: ids.nextMessage(),
    type: 'message',
    role: 'assistant',
    model,
    content: step.blocks.map((block) => buildBlock(block, ids)),
    stop_reason: step.stopReason ?? (callsTool ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: { ...defaultUsage, ...step.usage },
  };
}

/** The events that stream `message`, in the order in which the API sends them. */
export function streamEvents(message: WireMessage, step: MessageStep): StreamEvent[] {
  const { usage, stop_reason, stop_sequence } = message;
  const opening = {
    ...message,
    content: [],
    stop_reason: null,
    // The API reports the tokens it has written so far; the true number comes at the end.
    usage: { ...usage, output_tokens: Math.min(1, usage.output_tokens) },
  };
  return [
    { type: 'message_start', message: opening },
    { type: 'ping' },
    ...message.content.flatMap((block, index) => blockEvents(block, index, step.blocks[index]?.chunks ?? 1)),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ];
}

/** The events up to the middle of the last block: what arrives of an answer that falls silent. */
export function firstPart(events: readonly StreamEvent[]): StreamEvent[] {
  const lastStart = events.findLastIndex((event) => event.type === 'content_block_start');
  const lastStop = events.findLastIndex((event) => event.type === 'content_block_stop');
  // A message without blocks stops right after its start.
  if (lastStart === -1) return events.slice(0, 1);
  const deltas = lastStop - lastStart - 1;
  return events.slice(0, lastStart + 1 + Math.ceil(deltas / 2));
}

function buildBlock(block: ScriptedBlock, ids: IdSequence): WireBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.thinking, signature: block.signature };
    case 'tool_use':
      return { type: 'tool_use', id: block.id ?? ids.nextToolUse(), name: block.name, input: block.input };
  }
}

function blockEvents(block: WireBlock, index: number, chunks: number): StreamEvent[] {
  return [
    { type: 'content_block_start', index, content_block: emptied(block) },
    ...deltas(block, chunks).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function emptied(block: WireBlock): WireBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'tool_use':
      return { ...block, input: {} };
  }
}

function deltas(block: WireBlock, chunks: number): StreamEvent[] {
  switch (block.type) {
    case 'text':
      return cut(block.text, chunks).map((part) => ({ type: 'text_delta', text: part }));
    case 'thinking':
      return [
        ...cut(block.thinking, chunks).map((part) => ({ type: 'thinking_delta', thinking: part })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'tool_use':
      return cut(JSON.stringify(block.input), chunks).map((part) => ({
        type: 'input_json_delta',
        partial_json: part,
      }));
  }
}

/** Cuts between code points, never inside one: half a surrogate pair would not survive UTF-8. */
function cut(whole: string, chunks: number): string[] {
  if (chunks <= 1) return [whole];
  const characters = Array.from(whole);
  const size = Math.max(1, Math.ceil(characters.length / chunks));
  const parts: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    parts.push(characters.slice(start, start + size).join(''));
  }
  return parts.length === 0 ? [''] : parts;
}
