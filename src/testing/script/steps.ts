/**
 * What a model can be scripted to answer. A step is plain data: it can be printed, compared, stored in an
 * array and used more than once. The functions below are the convenient way to write one.
 */

/** Token counts reported with a message. Omitted ones keep their defaults: 10 in, 20 out, nothing cached. */
export interface ScriptedUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

/** How a block is split into deltas when it is streamed. */
export interface Chunking {
  /**
   * How many deltas, or the deltas themselves: pieces that together form the text, or the JSON of a tool's
   * input. Default 1. A block is never split inside a character, so a short one has fewer.
   */
  readonly chunks?: number | readonly string[];
  /** How long to wait before each delta except the first, in milliseconds. Default 0. */
  readonly chunkDelayMs?: number;
}

/** One block of an assistant message. */
export type ScriptedBlock =
  | ({ readonly type: 'text'; readonly text: string } & Chunking)
  | ({ readonly type: 'thinking'; readonly thinking: string; readonly signature: string } & Chunking)
  | ({ readonly type: 'tool_use'; readonly input: Readonly<Record<string, unknown>> } & ScriptedCall);

/** A tool call that the model makes. */
export interface ScriptedCall extends Chunking {
  readonly name: string;
  /** Default: no arguments. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Calls without an id are numbered: `toolu_0001`, `toolu_0002`, … */
  readonly id?: string;
}

/** A whole assistant message. */
export interface MessageStep {
  readonly kind: 'message';
  readonly blocks: readonly ScriptedBlock[];
  readonly stopReason?: string;
  readonly usage?: Partial<ScriptedUsage>;
}

/** An error instead of an answer. */
export interface ErrorStep {
  readonly kind: 'error';
  /** Absent: a failure without an HTTP status. The scripted Messages API then answers with 500. */
  readonly status?: number;
  readonly type: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer that begins and then stops arriving. */
export interface StallStep {
  readonly kind: 'stall';
  readonly step: MessageStep;
}

/** A connection that breaks without an answer. */
export interface DisconnectStep {
  readonly kind: 'disconnect';
}

/**
 * One scripted answer: see {@link text}, {@link toolUse}, {@link apiError} and the functions next to them.
 */
export type Step =
  | MessageStep
  | ErrorStep
  | StallStep
  | DisconnectStep
  | { readonly kind: 'delay'; readonly milliseconds: number; readonly step: Step }
  | { readonly kind: 'hang' };

/** What every message accepts besides its content. */
export interface MessageStepOptions {
  /**
   * Replaces the derived `stop_reason`, which is `tool_use` if a tool is called and `end_turn` otherwise.
   * Required for a message without content.
   */
  readonly stopReason?: string;
  readonly usage?: Partial<ScriptedUsage>;
}

/** What a message with a single block accepts besides its content. */
export interface BlockStepOptions extends MessageStepOptions, Chunking {}

/** The model says something. An array gives the deltas to stream: `text(['It is ', '42.'])`. */
export function text(words: string | readonly string[], options: BlockStepOptions = {}): MessageStep {
  return message([{ type: 'text', text: joined(words), ...chunking(options, words) }], options);
}

/**
 * The model thinks. Alone, this is a message without an answer; combine it with others using {@link blocks}.
 */
export function thinking(
  words: string | readonly string[],
  options: BlockStepOptions & { readonly signature?: string } = {},
): MessageStep {
  const { signature = 'scripted-signature' } = options;
  return message(
    [{ type: 'thinking', thinking: joined(words), signature, ...chunking(options, words) }],
    options,
  );
}

/** The model calls one tool. */
export function toolUse(
  name: string,
  input: Readonly<Record<string, unknown>> = {},
  options: BlockStepOptions & { readonly id?: string } = {},
): MessageStep {
  const id = options.id === undefined ? {} : { id: options.id };
  return message([{ type: 'tool_use', name, input, ...id, ...chunking(options) }], options);
}

/** The model calls several tools in one message: `toolUses([{ name: 'add', input: { a: 1, b: 2 } }, …])`. */
export function toolUses(calls: readonly ScriptedCall[], options: MessageStepOptions = {}): MessageStep {
  return message(
    calls.map((call) => ({ type: 'tool_use', input: {}, ...call })),
    options,
  );
}

/** One message of mixed content: `blocks([thinking('…'), text('Let me look.'), toolUse('Read', { … })])`. */
export function blocks(
  parts: readonly (MessageStep | ScriptedBlock)[],
  options: MessageStepOptions = {},
): MessageStep {
  return message(
    parts.flatMap((part) => (isMessage(part) ? part.blocks : [part])),
    options,
  );
}

/**
 * The API refuses: `apiError(529, 'overloaded_error', 'Overloaded')`. A client that retries, such as Claude
 * Code, takes the next step. A `scriptedModel()` is asked once: the error stands for what is left after all
 * retries. CLI 2.1.325 also repeats a request after a 400 with an unknown message, up to five times with
 * fewer beta features; a script that is a function can keep refusing.
 */
export function apiError(
  status: number,
  type: string,
  explanation: string,
  options: { readonly headers?: Readonly<Record<string, string>> } = {},
): ErrorStep {
  return { kind: 'error', status, type, message: explanation, headers: options.headers ?? {} };
}

/**
 * Waits, then answers with `step`. The wait ends early if the client disconnects or the turn is interrupted.
 */
export function delay(milliseconds: number, step: Step): Step {
  return { kind: 'delay', milliseconds, step };
}

/**
 * Never answers; the request stays open until the client disconnects, the turn is interrupted or the API is
 * closed.
 */
export function hang(): Step {
  return { kind: 'hang' };
}

/**
 * Begins to answer and then sends nothing more, with the connection open. All blocks but the last arrive
 * completely; of the last one only the first half of its deltas arrives, and never its end.
 */
export function stall(step: MessageStep): StallStep {
  return { kind: 'stall', step };
}

/** Breaks the connection without an answer. */
export function disconnect(): DisconnectStep {
  return { kind: 'disconnect' };
}

function message(content: readonly ScriptedBlock[], options: MessageStepOptions): MessageStep {
  return {
    kind: 'message',
    blocks: content,
    ...(options.stopReason === undefined ? {} : { stopReason: options.stopReason }),
    ...(options.usage === undefined ? {} : { usage: options.usage }),
  };
}

function isMessage(part: MessageStep | ScriptedBlock): part is MessageStep {
  return (part as Partial<MessageStep> | undefined)?.kind === 'message';
}

function joined(words: string | readonly string[]): string {
  return Array.isArray(words) ? words.join('') : (words as string);
}

function chunking(options: Chunking, words: string | readonly string[] = ''): Chunking {
  const { chunks = Array.isArray(words) ? words : undefined, chunkDelayMs } = options;
  return {
    ...(chunks === undefined ? {} : { chunks }),
    ...(chunkDelayMs === undefined ? {} : { chunkDelayMs }),
  };
}
