import { isRecord } from '../protocol/base/kinds.js';

type Part = Record<string, unknown>;

export interface ContentMessage {
  role: string;
  parts: Part[];
  finish_reason?: string;
}

/** A message of the Messages API in the form of the conventions. */
export function contentMessage(role: string, content: unknown): ContentMessage {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { role, parts: Array.isArray(blocks) ? blocks.filter(isRecord).map(partOf) : [] };
}

function partOf(block: Part): Part {
  switch (block.type) {
    case 'text':
      return { type: 'text', content: block.text };
    case 'thinking':
      return { type: 'reasoning', content: block.thinking };
    case 'tool_use':
      return { type: 'tool_call', id: block.id, name: block.name, arguments: block.input };
    case 'tool_result':
      return { type: 'tool_call_response', id: block.tool_use_id, response: block.content };
    default:
      // The bytes of a picture or a document say nothing to a reader of traces.
      return { type: String(block.type) };
  }
}

/** Puts the text of a streamed answer together. */
export class StreamedContent {
  readonly #parts = new Map<unknown, Part>();

  push(event: Part): void {
    const { type, index } = event;
    if (type === 'content_block_start' && isRecord(event.content_block)) {
      this.#parts.set(index, { ...partOf(event.content_block) });
    }
    if (type !== 'content_block_delta' || !isRecord(event.delta)) return;
    const part = this.#parts.get(index);
    if (part === undefined) return;
    const { text, thinking, partial_json: json } = event.delta;
    if (json === undefined) part.content = `${part.content ?? ''}${text ?? thinking ?? ''}`;
    else part.arguments = `${typeof part.arguments === 'string' ? part.arguments : ''}${json}`;
  }

  message(finishReason: string | undefined): ContentMessage {
    const finish = finishReason === undefined ? {} : { finish_reason: finishReason };
    return { role: 'assistant', parts: [...this.#parts.values()], ...finish };
  }
}
