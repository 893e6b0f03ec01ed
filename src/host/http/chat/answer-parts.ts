import type {
  AssistantContentBlock,
  AssistantMessageBody,
  ContentDelta,
  StreamEvent,
} from '../../../protocol/wire/content.js';
import type { ToolParts } from './tool-parts.js';
import type { UIChunk } from './ui-chunks.js';

/** A block of an answer while it is written. */
interface Writing {
  readonly kind: 'text' | 'reasoning' | 'tool';
  /** Of the part that shows it; of a call, the call's own. */
  readonly id: string;
  text: string;
  isOpen: boolean;
}

/**
 * What a model says in a turn, told in pieces (`stream_event`), in whole blocks (`assistant`), or in both: what was told
 * in pieces is not told again. Each answer of the model is a step.
 */
export class AnswerParts {
  readonly #tools: ToolParts;
  /** The answer that is told now. */
  #answer: string | undefined;
  /** Its blocks that were told in pieces, by their index. */
  readonly #pieces = new Map<number, Writing>();
  /** Those of them whose whole is still to come. */
  #expected: Writing[] = [];
  #hasStep = false;
  /** How many there are: each has a number of its own. */
  parts: number;

  constructor(tools: ToolParts, parts = 0) {
    this.#tools = tools;
    this.parts = parts;
  }

  piece(event: StreamEvent): UIChunk[] {
    switch (event.type) {
      case 'message_start':
        return this.#stepOf(event.message.id);
      case 'content_block_start':
        return this.#begin(event.index, event.content_block);
      case 'content_block_delta':
        return this.#continue(this.#pieces.get(event.index), event.delta);
      case 'content_block_stop':
        return this.#close(this.#pieces.get(event.index));
      default:
        return [];
    }
  }

  whole({ id, content }: AssistantMessageBody): UIChunk[] {
    return [...this.#stepOf(id), ...content.flatMap((block) => this.#wholeBlock(block))];
  }

  /** Closes what is open, such as an answer that broke off. */
  end(): UIChunk[] {
    const chunks = [...this.#pieces.values()].flatMap((writing) => this.#close(writing));
    this.#pieces.clear();
    this.#expected = [];
    this.#answer = undefined;
    if (!this.#hasStep) return chunks;
    this.#hasStep = false;
    return [...chunks, { type: 'finish-step' }];
  }

  #stepOf(answer: string): UIChunk[] {
    if (this.#hasStep && this.#answer === answer) return [];
    const chunks = this.end();
    this.#answer = answer;
    this.#hasStep = true;
    return [...chunks, { type: 'start-step' }];
  }

  #begin(index: number, block: AssistantContentBlock): UIChunk[] {
    if (isCall(block)) {
      this.#expect(index, { kind: 'tool', id: block.id, text: '', isOpen: true });
      return this.#tools.begin(block.id, block.name);
    }
    if (block.type !== 'text' && block.type !== 'thinking') return [];
    const kind = block.type === 'text' ? 'text' : 'reasoning';
    const writing: Writing = { kind, id: this.#newPart(), text: '', isOpen: true };
    this.#expect(index, writing);
    const text = block.type === 'text' ? block.text : block.thinking;
    return [{ type: `${kind}-start`, id: writing.id }, ...this.#write(writing, text)];
  }

  #expect(index: number, writing: Writing): void {
    this.#pieces.set(index, writing);
    this.#expected.push(writing);
  }

  #continue(writing: Writing | undefined, delta: ContentDelta): UIChunk[] {
    if (!writing?.isOpen) return [];
    if (delta.type === 'input_json_delta') return this.#tools.input(writing.id, delta.partial_json);
    if (delta.type === 'text_delta') return this.#write(writing, delta.text);
    return delta.type === 'thinking_delta' ? this.#write(writing, delta.thinking) : [];
  }

  #write(writing: Writing, delta: string): UIChunk[] {
    if (writing.kind === 'tool' || delta === '') return [];
    writing.text += delta;
    return [{ type: `${writing.kind}-delta`, id: writing.id, delta }];
  }

  #close(writing: Writing | undefined): UIChunk[] {
    if (!writing?.isOpen) return [];
    writing.isOpen = false;
    return writing.kind === 'tool' ? [] : [{ type: `${writing.kind}-end`, id: writing.id }];
  }

  #wholeBlock(block: AssistantContentBlock): UIChunk[] {
    if (block.type === 'text') return this.#wholeText('text', block.text);
    if (block.type === 'thinking') return this.#wholeText('reasoning', block.thinking);
    if (isCall(block)) {
      this.#close(this.#take((writing) => writing.id === block.id));
      return this.#tools.call(block.id, block.name, block.input);
    }
    // Of tools that the model's own service has run.
    if ('tool_use_id' in block) {
      const isError = 'is_error' in block && block.is_error === true;
      return this.#tools.result(block.tool_use_id, block.content, isError);
    }
    return [];
  }

  #wholeText(kind: 'text' | 'reasoning', text: string): UIChunk[] {
    const told = this.#take((writing) => writing.kind === kind);
    if (told !== undefined) {
      const rest = told.isOpen && text.startsWith(told.text) ? text.slice(told.text.length) : '';
      return [...this.#write(told, rest), ...this.#close(told)];
    }
    if (text === '') return [];
    const id = this.#newPart();
    return [
      { type: `${kind}-start`, id },
      { type: `${kind}-delta`, id, delta: text },
      { type: `${kind}-end`, id },
    ];
  }

  /** The first block that was told in pieces and fits. */
  #take(fits: (writing: Writing) => boolean): Writing | undefined {
    const index = this.#expected.findIndex(fits);
    return index === -1 ? undefined : this.#expected.splice(index, 1)[0];
  }

  #newPart(): string {
    this.parts += 1;
    return `part-${this.parts}`;
  }
}

function isCall(
  block: AssistantContentBlock,
): block is Extract<AssistantContentBlock, { type: 'tool_use' | 'server_tool_use' | 'mcp_tool_use' }> {
  return block.type === 'tool_use' || block.type === 'server_tool_use' || block.type === 'mcp_tool_use';
}
