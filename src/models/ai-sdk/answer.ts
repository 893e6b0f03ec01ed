import { clock } from '../../protocol/base/clock.js';
import type {
  AssistantContentBlock,
  ContentDelta,
  StopReason,
  StreamEvent,
} from '../../protocol/wire/content.js';
import { ModelError } from '../../runtime/model.js';
import { messageDelta, messageStart } from '../../runtime/model-events.js';
import { mergedOptions } from './providers.js';
import type { ProviderMetadata, StreamPart } from './specification.js';
import type { ToolAliases } from './tool-aliases.js';
import { countsOf } from './usage.js';

export interface AnswerSettings {
  /** The model's name in the conversation. */
  model: string;
  source: string;
  aliases: ToolAliases;
  countsCacheApart: boolean;
  warn(text: string): void;
}

interface OpenBlock {
  readonly block: AssistantContentBlock;
  metadata: ProviderMetadata | undefined;
  /** Undefined: nothing was shown of it yet. Some providers open blocks that stay empty, which no API takes back. */
  index: number | undefined;
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'content-filter': 'refusal',
  'tool-calls': 'tool_use',
};

/** Makes the events of the Messages API from the parts of a stream. */
export class AnswerWriter {
  readonly #settings: AnswerSettings;
  readonly #blocks = new Map<string, OpenBlock>();
  /** Calls whose input came in pieces. */
  readonly #streamed = new Set<string>();
  #shown = 0;
  #calls = 0;
  #hasBegun = false;
  /** Those that nobody has taken yet: hardly ever more than four. */
  readonly #events: StreamEvent[] = [];
  #id: string | undefined;
  isFinished = false;

  constructor(settings: AnswerSettings) {
    this.#settings = settings;
  }

  /** The next event of what was written; undefined: none as yet. */
  take(): StreamEvent | undefined {
    return this.#events.shift();
  }

  write(part: StreamPart): void {
    switch (part.type) {
      case 'stream-start':
        for (const warning of part.warnings ?? []) this.#settings.warn(textOfWarning(warning));
        return;
      case 'response-metadata':
        this.#id = part.id;
        return;
      case 'text-start':
        this.#open(`text ${part.id}`, { type: 'text', text: '', citations: null }, part.providerMetadata);
        return;
      case 'reasoning-start':
        this.#open(
          `reasoning ${part.id}`,
          { type: 'thinking', thinking: '', signature: '' },
          part.providerMetadata,
        );
        return;
      case 'text-delta':
        this.#extend(`text ${part.id}`, { type: 'text_delta', text: part.delta }, part);
        return;
      case 'reasoning-delta':
        this.#extend(
          `reasoning ${part.id}`,
          { type: 'thinking_delta', thinking: part.delta, estimated_tokens: null },
          part,
        );
        return;
      case 'text-end':
        this.#end(`text ${part.id}`, part.providerMetadata);
        return;
      case 'reasoning-end':
        this.#end(`reasoning ${part.id}`, part.providerMetadata);
        return;
      case 'tool-input-start':
        if (part.providerExecuted !== true) this.#beginCall(part.id, part.toolName);
        return;
      case 'tool-input-delta':
        if (part.delta !== '') this.#streamed.add(part.id);
        this.#extend(`call ${part.id}`, { type: 'input_json_delta', partial_json: part.delta }, part);
        return;
      case 'tool-call':
        if (part.providerExecuted === true) this.#lost(part);
        else this.#call(part);
        return;
      case 'finish':
        this.#finish(part);
        return;
      case 'error':
        throw part.error;
      default:
        this.#lost(part);
    }
  }

  #open(key: string, block: AssistantContentBlock, metadata?: ProviderMetadata): OpenBlock {
    const opened = { block, metadata, index: undefined };
    this.#blocks.set(key, opened);
    return opened;
  }

  #show(opened: OpenBlock): void {
    if (opened.index !== undefined) return;
    this.#beginMessage();
    opened.index = this.#shown;
    this.#shown += 1;
    this.#events.push({ type: 'content_block_start', index: opened.index, content_block: opened.block });
  }

  #beginMessage(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#events.push(messageStart(this.#settings.model, this.#id || `msg_${clock.uuid()}`));
  }

  #extend(
    key: string,
    delta: ContentDelta,
    { delta: text, providerMetadata }: { delta: string; providerMetadata?: ProviderMetadata },
  ): void {
    const opened = this.#blocks.get(key) ?? this.#reopen(delta, key);
    if (opened === undefined) return;
    if (providerMetadata !== undefined) opened.metadata = mergedOptions(opened.metadata, providerMetadata);
    if (text === '') return;
    this.#show(opened);
    this.#events.push({ type: 'content_block_delta', index: opened.index as number, delta });
  }

  #end(key: string, metadata?: ProviderMetadata): void {
    const opened = this.#blocks.get(key);
    if (opened === undefined) return;
    this.#blocks.delete(key);
    const kept = mergedOptions(opened.metadata, metadata);
    const isThought = opened.block.type === 'thinking';
    // Thoughts that are not shown have to be sent back all the same.
    if (kept !== undefined && isThought) this.#show(opened);
    if (opened.index === undefined) return;
    const { source } = this.#settings;
    // Thoughts always say whose they are: no other model may get them, signed or not.
    const isKept = kept !== undefined || isThought;
    this.#events.push({
      type: 'content_block_stop',
      index: opened.index,
      ...(isKept ? { provider_metadata: { source, metadata: kept ?? {} } } : {}),
    });
  }

  /** Text that goes on after a call. */
  #reopen({ type }: ContentDelta, key: string): OpenBlock | undefined {
    if (type === 'text_delta') return this.#open(key, { type: 'text', text: '', citations: null });
    if (type === 'thinking_delta') return this.#open(key, { type: 'thinking', thinking: '', signature: '' });
    return undefined;
  }

  #endTexts(): void {
    for (const [key, { block }] of [...this.#blocks]) if (block.type !== 'tool_use') this.#end(key);
  }

  #beginCall(id: string, toolName: string): void {
    // Some providers end a thought only after the calls that follow from it; the order of blocks is that of their ends.
    this.#endTexts();
    const name = this.#settings.aliases.nameOf(toolName);
    this.#show(this.#open(`call ${id}`, { type: 'tool_use', id, name, input: {} }));
  }

  /** The whole call, whose input may have been streamed before. */
  #call(part: Extract<StreamPart, { type: 'tool-call' }>): void {
    const key = `call ${part.toolCallId}`;
    if (!this.#blocks.has(key)) this.#beginCall(part.toolCallId, part.toolName);
    if (!this.#streamed.has(part.toolCallId)) {
      const input = typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {});
      this.#extend(key, { type: 'input_json_delta', partial_json: input }, { delta: input });
    }
    this.#calls += 1;
    this.#end(key, part.providerMetadata);
  }

  #finish(part: Extract<StreamPart, { type: 'finish' }>): void {
    const { unified = part.finishReason, raw } = (part.finishReason ?? {}) as {
      unified?: unknown;
      raw?: string;
    };
    if (unified === 'error' || unified === 'interrupted') {
      throw new ModelError(`The model's answer broke off${raw === undefined ? '' : ` (${raw})`}.`);
    }
    this.#beginMessage();
    // A call that was begun and never came was cut off, and must not run with what there is of its input.
    this.#endTexts();
    const { countsCacheApart } = this.#settings;
    // Some servers end with "stop" what is a call.
    const reason = this.#calls > 0 ? 'tool_use' : (STOP_REASONS[String(unified)] ?? 'end_turn');
    this.#events.push(messageDelta(reason, countsOf(part.usage, part.providerMetadata, countsCacheApart)));
    this.#events.push({ type: 'message_stop' });
    this.isFinished = true;
  }

  /** Content that has no place in the conversation. */
  #lost({ type }: { type: string }): void {
    if (!['file', 'reasoning-file', 'tool-call', 'tool-result', 'tool-approval-request'].includes(type))
      return;
    this.#settings.warn(`The model sent content of type "${type}", which Tenon does not use.`);
  }
}

/** `{ type: 'unsupported', feature, details }` and the like, by version. */
function textOfWarning({ type, message, feature, setting, details }: Record<string, unknown>): string {
  if (typeof message === 'string') return message;
  const what = [feature, setting].find((name) => typeof name === 'string') ?? type;
  return `The model does not support ${String(what)}${typeof details === 'string' ? `: ${details}` : '.'}`;
}
