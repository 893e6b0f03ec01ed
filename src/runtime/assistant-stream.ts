import type { AssistantContentBlock, StreamEvent } from '../protocol/content.js';
import { messageOf } from '../protocol/errors.js';
import { ModelError } from './model.js';

export interface TokenCounts {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

/** An answer as far as it has come. */
export interface AssistantMessage {
  id: string;
  model: string;
  content: AssistantContentBlock[];
  stopReason: string | null;
  /** As the first event gave it; the final counts are in `usage`. */
  startUsage: TokenCounts;
  usage: TokenCounts;
}

type Draft = AssistantContentBlock & { partialJson?: string };

/** Puts a streamed answer together. `push` returns a block when it is complete. */
export class AssistantStream {
  readonly message: AssistantMessage = {
    id: '',
    model: '',
    content: [],
    stopReason: null,
    startUsage: emptyCounts(),
    usage: emptyCounts(),
  };
  readonly #drafts = new Map<number, Draft>();
  readonly #json = new Map<number, string>();

  push(event: StreamEvent): AssistantContentBlock | undefined {
    switch (event.type) {
      case 'message_start':
        this.message.id = event.message.id;
        this.message.model = event.message.model;
        addCounts(this.message.startUsage, event.message.usage);
        addCounts(this.message.usage, event.message.usage);
        return undefined;
      case 'content_block_start':
        this.#drafts.set(event.index, structuredClone(event.content_block) as Draft);
        return undefined;
      case 'content_block_delta':
        this.#extend(event.index, event.delta as Record<string, unknown>);
        return undefined;
      case 'content_block_stop':
        return this.#complete(event.index);
      case 'message_delta':
        this.message.stopReason = event.delta.stop_reason ?? this.message.stopReason;
        setCounts(this.message.usage, event.usage);
        return undefined;
      default:
        return undefined;
    }
  }

  #extend(index: number, delta: Record<string, unknown>): void {
    const draft = this.#drafts.get(index) as Record<string, unknown> | undefined;
    if (draft === undefined) throw new ModelError(`The model's stream has a delta for no block (${index}).`);
    if (delta.type === 'text_delta') draft.text = `${draft.text ?? ''}${delta.text}`;
    else if (delta.type === 'thinking_delta') draft.thinking = `${draft.thinking ?? ''}${delta.thinking}`;
    else if (delta.type === 'signature_delta') draft.signature = delta.signature;
    else if (delta.type === 'input_json_delta') {
      this.#json.set(index, `${this.#json.get(index) ?? ''}${delta.partial_json}`);
    }
  }

  #complete(index: number): AssistantContentBlock | undefined {
    const draft = this.#drafts.get(index);
    if (draft === undefined) return undefined;
    const json = this.#json.get(index);
    if (draft.type === 'tool_use' && json !== undefined && json !== '') draft.input = parseInput(json);
    this.message.content.push(draft);
    return draft;
  }
}

function parseInput(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch (error) {
    throw new ModelError(`The model sent a tool's input that is no JSON: ${messageOf(error)}`);
  }
}

export function emptyCounts(): TokenCounts {
  return {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
}

type LooseCounts = { [Key in keyof TokenCounts]?: number | null };

export function addCounts(sum: TokenCounts, counts: LooseCounts | undefined): void {
  for (const key of Object.keys(sum) as (keyof TokenCounts)[]) sum[key] += counts?.[key] ?? 0;
}

/** The last event of a stream gives totals, not additions. */
function setCounts(counts: TokenCounts, totals: LooseCounts | undefined): void {
  for (const key of Object.keys(counts) as (keyof TokenCounts)[]) counts[key] = totals?.[key] ?? counts[key];
}
