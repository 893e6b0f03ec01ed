import { messageOf } from '../../protocol/base/errors.js';
import { isRecord, kindOf } from '../../protocol/base/kinds.js';
import type {
  AssistantContentBlock,
  ContentDelta,
  KeptMetadata,
  StreamEvent,
} from '../../protocol/wire/content.js';
import { ModelError, type TokenCounts } from '../model.js';

export type { TokenCounts } from '../model.js';

/** An answer, possibly incomplete. */
export interface AssistantMessage {
  id: string;
  model: string;
  content: AssistantContentBlock[];
  stopReason: string | null;
  /** The counts of the first event; the final counts are in `usage`. */
  startUsage: TokenCounts;
  usage: TokenCounts;
}

/** Other deltas belong to blocks that the runtime does not request, and are ignored. */
const BLOCK_DELTAS: ReadonlySet<ContentDelta['type']> = new Set([
  'text_delta',
  'thinking_delta',
  'signature_delta',
]);

/** Assembles a streamed answer. `push` returns a block when it is complete. */
export class AssistantStream {
  readonly message: AssistantMessage = {
    id: '',
    model: '',
    content: [],
    stopReason: null,
    startUsage: emptyCounts(),
    usage: emptyCounts(),
  };
  /** Calls whose input is not JSON, by their ids, with what is wrong: the model is told, and the tool does not run. */
  readonly unreadable = new Map<string, string>();
  readonly #drafts = new Map<number, AssistantContentBlock>();
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
        this.#drafts.set(event.index, structuredClone(event.content_block));
        return undefined;
      case 'content_block_delta':
        this.#extend(event.index, event.delta);
        return undefined;
      case 'content_block_stop':
        return this.#complete(event.index, event.provider_metadata);
      case 'message_delta':
        this.message.stopReason = event.delta.stop_reason ?? this.message.stopReason;
        setCounts(this.message.usage, event.usage);
        return undefined;
      default:
        return undefined;
    }
  }

  #extend(index: number, delta: ContentDelta): void {
    const draft = this.#drafts.get(index);
    if (draft === undefined)
      throw new ModelError(`The model's stream has a delta for an unknown block (${index}).`);
    if (delta.type === 'input_json_delta') {
      this.#json.set(index, `${this.#json.get(index) ?? ''}${delta.partial_json}`);
    } else if (delta.type === 'text_delta' && draft.type === 'text') {
      draft.text = `${draft.text ?? ''}${delta.text}`;
    } else if (delta.type === 'thinking_delta' && draft.type === 'thinking') {
      draft.thinking = `${draft.thinking ?? ''}${delta.thinking}`;
    } else if (delta.type === 'signature_delta' && draft.type === 'thinking') {
      draft.signature = delta.signature;
    } else if (BLOCK_DELTAS.has(delta.type)) {
      throw new ModelError(
        `The model's stream has a ${delta.type} for a block of type ${draft.type} (${index}).`,
      );
    }
  }

  #complete(index: number, metadata: KeptMetadata | undefined): AssistantContentBlock | undefined {
    const draft = this.#drafts.get(index);
    if (draft === undefined) return undefined;
    const json = this.#json.get(index);
    if (draft.type === 'tool_use' && json !== undefined && json !== '')
      draft.input = this.#parse(draft.id, json);
    if (metadata !== undefined) Object.assign(draft, { provider_metadata: metadata });
    this.message.content.push(draft);
    return draft;
  }

  /** Small models sometimes write input that breaks off or is no object; every API wants an object back. */
  #parse(id: string, json: string): Record<string, unknown> {
    try {
      const input: unknown = JSON.parse(json);
      if (isRecord(input)) return input;
      this.unreadable.set(
        id,
        `The input must be a JSON object; it is ${kindOf(input)}. Call the tool again.`,
      );
    } catch (error) {
      this.unreadable.set(id, `The input is not valid JSON: ${messageOf(error)}. Call the tool again.`);
    }
    return {};
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
