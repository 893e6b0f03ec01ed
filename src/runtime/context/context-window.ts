import type { MessageParam } from '../../protocol/wire/content.js';
import { knownModels } from '../known-models.js';
import type { Model, ModelTool, TokenCounts } from '../model.js';
import type { RuntimeConfig } from '../start/runtime-config.js';
import { type Environment, isSwitchedOff, usedOfWindow } from './context-environment.js';
import type { ContextOptions, ContextStrategy } from './context-options.js';

/** For a model that does not say what it can hold; few of today hold less. */
export const DEFAULT_WINDOW = 128_000;
const DEFAULT_COMPACT_AT = 0.8;
/** In a large window a fifth would be far more than an answer and a wrong guess can need. */
const MOST_SPARED = 33_000;
const DEFAULT_KEEP_TOKENS = 20_000;
const DEFAULT_STRATEGY: readonly ContextStrategy[] = ['clearToolResults', 'summarize'];

// What is counted here is a guess with a margin: about four characters of English are a token, of code and numbers
// fewer, and of many scripts a character is a token.
const CHARS_PER_TOKEN = 3.5;
/** What an image costs at most, whatever its file weighs. */
const IMAGE_TOKENS = 1_600;
/** The frame of a message and of a block. */
const BLOCK_TOKENS = 8;
/** A count of the API below this share of the guess is none: some servers do not count, or only what was not cached. */
const LEAST_CREDIBLE = 0.25;
/** How far the guess is corrected by what the API has counted. */
const MOST_CORRECTION = 3;
/** After room was made, so much more must be said before that is tried again, even if it did not help enough. */
const GROWTH_BEFORE_NEXT = 1.2;
/** Answers need room, but in a small window not all of it. */
const MOST_RESERVED = 1 / 3;

/** No model holds less, whatever its API says. */
const LEAST_ROOM = 2_000;
/** A model that nobody has said anything about is looked up when this share of the default is used. */
const WORTH_LOOKING = 0.05;
/** Beyond this share of what may be sent, a wrong guess could be one too many. */
const LAST_MOMENT = 0.95;

/** What of a request is the same in all of them. */
interface Fixed {
  readonly system: readonly string[];
  readonly tools: readonly ModelTool[];
}

/** In tokens. */
export interface ContextLimits {
  /** What may be sent to the model: the window without what its answer may need. */
  readonly room: number;
  /** When more than this is sent, room is made. */
  readonly limit: number;
}

/** The window of one conversation. */
export function windowFor(
  { model, context, historyPolicy }: Pick<RuntimeConfig, 'model' | 'context' | 'historyPolicy'>,
  settings: { readonly autoCompactEnabled?: unknown },
  env: Environment = {},
): ContextWindow {
  // Whoever selects the messages makes room too, unless both are wanted.
  const isOurs = historyPolicy === undefined || context !== undefined;
  const isAutomatic = isOurs && settings.autoCompactEnabled !== false && !isSwitchedOff(env);
  return new ContextWindow(model, context, isAutomatic, usedOfWindow(env));
}

/** How much of a model's context window a conversation uses. The cost of counting does not grow with its length. */
export class ContextWindow {
  readonly options: ContextOptions;
  readonly isAutomatic: boolean;
  readonly #model: Model;
  /** The guess for each message, and for all of them. */
  #sizes: number[] = [];
  #total = 0;
  #fixed: Fixed | undefined;
  #fixedTokens = 0;
  #correction = 1;
  /** The number of messages in the last request. */
  #asked = 0;
  /** As counted by the API: the tokens of the first `upTo` messages, and of all that is sent with them. */
  #counted: { tokens: number; upTo: number } | undefined;
  #lastCounts: TokenCounts | undefined;
  /** The window turned out to be smaller than that. */
  #learned = Number.POSITIVE_INFINITY;
  #nextAt = 0;
  /** Windows of models from the optional table. */
  #listed: Map<string, number> | undefined;
  /** What compactions have taken away so far. */
  dropped = 0;

  /** `atMost`: so much of the window is used, whatever it holds. */
  constructor(
    model: Model,
    context: ContextOptions | false | undefined,
    isAutomatic: boolean,
    atMost?: number,
  ) {
    this.#model = model;
    if (atMost !== undefined) this.#learned = atMost;
    this.options = context === false ? {} : (context ?? {});
    this.isAutomatic = isAutomatic && context !== false;
  }

  /** What the model can hold, its answer included, as far as anybody has said. */
  saidFor(name: string): number {
    return this.#said(name) ?? this.#listed?.get(name) ?? DEFAULT_WINDOW;
  }

  /** The same, but never more than what turned out to be too much. */
  sizeFor(name: string): number {
    return Math.min(this.saidFor(name), this.#learned);
  }

  /** Before a request, a model is looked up only if it matters: the table is large. */
  async lookUp(name: string, messages: readonly MessageParam[]): Promise<void> {
    if (this.used(messages) >= DEFAULT_WINDOW * WORTH_LOOKING) await this.learn(name);
  }

  /** Looks up a model that nobody has said anything about. */
  async learn(name: string): Promise<void> {
    if (this.#said(name) !== undefined || this.#listed?.has(name)) return;
    const identity = this.#model.identify?.(name);
    const window = identity === undefined ? undefined : (await knownModels())?.windowOf(identity);
    this.#listed ??= new Map();
    this.#listed.set(name, window ?? DEFAULT_WINDOW);
  }

  #said(name: string): number | undefined {
    return this.options.window ?? this.#model.window?.(name);
  }

  limitsFor(name: string, maxTokens: number): ContextLimits {
    const window = this.sizeFor(name);
    const room = Math.floor(window - Math.min(maxTokens, window * MOST_RESERVED));
    const { compactAt } = this.options;
    if (compactAt !== undefined) return { room, limit: Math.floor(room * compactAt) };
    return {
      room,
      limit: Math.max(Math.floor(room * DEFAULT_COMPACT_AT), Math.min(room, window - MOST_SPARED)),
    };
  }

  get strategy(): readonly ContextStrategy[] {
    return this.options.strategy ?? DEFAULT_STRATEGY;
  }

  keepWithin(limit: number): number {
    return Math.min(this.options.keepTokens ?? DEFAULT_KEEP_TOKENS, Math.floor(limit / 3));
  }

  /** Whether room must be made before these messages are sent. */
  isFull(messages: readonly MessageParam[], { limit, room }: ContextLimits): boolean {
    if (!this.isAutomatic) return false;
    return this.used(messages) > Math.max(limit, Math.min(this.#nextAt, room * LAST_MOMENT));
  }

  /** How much must go at once, whatever it is: the guess may be a little wrong, and the request must not be refused. */
  excess(messages: readonly MessageParam[], { limit, room }: ContextLimits): number {
    const used = this.used(messages);
    return used > room * LAST_MOMENT ? used - limit : 0;
  }

  /** The tokens of the messages and of what is sent with them. */
  used(messages: readonly MessageParam[]): number {
    this.#measure(messages);
    if (this.#counted === undefined) return Math.ceil((this.#fixedTokens + this.#total) * this.#correction);
    const { tokens, upTo } = this.#counted;
    return tokens + Math.ceil(this.#sizeFrom(upTo) * this.#correction);
  }

  /** The guess for each message. */
  sizes(messages: readonly MessageParam[]): readonly number[] {
    this.#measure(messages);
    return this.#sizes.map((size) => Math.ceil(size * this.#correction));
  }

  /** What the system prompt and the tools need. */
  get fixed(): { system: number; tools: number } {
    const system = tokensIn(this.#fixed?.system);
    return { system, tools: Math.max(0, this.#fixedTokens - system) };
  }

  /** A request with so many messages is sent. */
  asking(count: number): void {
    this.#asked = count;
  }

  /** What is sent with every request from now on. */
  sendsWith({ system, tools }: Fixed): void {
    const known = this.#fixed;
    const isSame =
      known?.system.length === system.length && known.system.every((text, at) => text === system[at]);
    if (isSame && known.tools === tools) return;
    this.#fixed = { system, tools };
    this.#fixedTokens = tokensIn(system) + tokensIn(tools);
  }

  /** What the API has counted for the last request and its answer. */
  answered(messages: readonly MessageParam[], counts: TokenCounts | undefined): void {
    if (counts === undefined || counts === this.#lastCounts) return;
    this.#lastCounts = counts;
    this.#measure(messages);
    const upTo = this.#asked + (messages[this.#asked]?.role === 'assistant' ? 1 : 0);
    const tokens = sumOf(counts);
    const guess = this.#fixedTokens + this.#total - this.#sizeFrom(upTo);
    if (tokens < guess * LEAST_CREDIBLE) return;
    this.#counted = { tokens, upTo };
    this.#correction = Math.min(MOST_CORRECTION, Math.max(1, tokens / Math.max(1, guess)));
  }

  /** The messages have changed, not only grown. */
  changed(messages: readonly MessageParam[]): void {
    this.#sizes = [];
    this.#total = 0;
    this.#counted = undefined;
    this.#nextAt = this.used(messages) * GROWTH_BEFORE_NEXT;
  }

  /** Nothing could be done: it is not tried again at once. */
  leave(messages: readonly MessageParam[]): void {
    this.#nextAt = this.used(messages) * GROWTH_BEFORE_NEXT;
  }

  /** The API has refused these messages as too long. */
  overflowed(messages: readonly MessageParam[], maxTokens: number): void {
    const room = Math.max(LEAST_ROOM, this.used(messages) * 0.9);
    // So that `limitsFor` comes to this room.
    this.#learned = Math.floor(Math.min(this.#learned, room / (1 - MOST_RESERVED), room + maxTokens));
    this.#nextAt = 0;
  }

  #measure(messages: readonly MessageParam[]): void {
    for (let index = this.#sizes.length; index < messages.length; index += 1) {
      const size = tokensOf(messages[index] as MessageParam);
      this.#sizes.push(size);
      this.#total += size;
    }
  }

  #sizeFrom(index: number): number {
    let sum = 0;
    for (let at = index; at < this.#sizes.length; at += 1) sum += this.#sizes[at] ?? 0;
    return sum;
  }
}

function sumOf(counts: TokenCounts): number {
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = counts;
  return input_tokens + output_tokens + cache_creation_input_tokens + cache_read_input_tokens;
}

/** A guess of the tokens of a message. */
function tokensOf({ content }: Pick<MessageParam, 'content'>): number {
  return BLOCK_TOKENS + tokensIn(content);
}

/** A guess of the tokens of any part of a request. Files count as images do, not by their characters. */
export function tokensIn(value: unknown): number {
  if (typeof value === 'string') return tokensOfText(value);
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : 1;
  if ((value as { type?: unknown }).type === 'base64') return IMAGE_TOKENS;
  let sum = BLOCK_TOKENS;
  for (const [key, part] of Object.entries(value)) {
    sum += tokensIn(part) + (Array.isArray(value) ? 0 : key.length / CHARS_PER_TOKEN);
  }
  return sum;
}

function tokensOfText(text: string): number {
  let others = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) others += 1;
  return (text.length - others) / CHARS_PER_TOKEN + others;
}
