import type { MessageStep, ScriptedBlock, ScriptedUsage } from './steps.js';

/** Numbers messages and tool calls in the order of the answers, so that a test can predict the ids. */
export interface IdSequence {
  nextMessage(): string;
  nextToolUse(): string;
}

/** A block of a finished message. */
export type WireBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: Readonly<Record<string, unknown>> };

/** A finished assistant message in the API's own format. */
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

const defaultUsage: ScriptedUsage = {
  input_tokens: 10,
  output_tokens: 20,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/**
 * Turns a step into the message that the agent receives. Each call takes new ids, so a step can be reused.
 */
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
    usage: completed(step.usage),
  };
}

/** Ids that count from 1: `msg_0001`, `toolu_0001`, with `mark` before the number. */
export function idSequence(mark = ''): IdSequence {
  let messages = 0;
  let toolUses = 0;
  const padded = (number: number): string => String(number).padStart(4, '0');
  return {
    nextMessage: () => `msg_${mark}${padded(++messages)}`,
    nextToolUse: () => `toolu_${mark}${padded(++toolUses)}`,
  };
}

function completed(usage: Partial<ScriptedUsage> = {}): ScriptedUsage {
  const given = Object.entries(usage).filter(([, tokens]) => tokens !== undefined);
  return { ...defaultUsage, ...Object.fromEntries(given) };
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
