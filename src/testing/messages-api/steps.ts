/**
 * What the scripted Messages API can be told to answer. A step is plain data: it can be printed, compared, stored in an
 * array and used more than once. The constructors below are the convenient way to write one.
 */

/** Token counts reported with a message. What is not given keeps its default: 10 in, 20 out, nothing cached. */
export interface ScriptedUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

/** One block of an assistant message. `chunks` is the number of deltas a streamed block is cut into (default 1). */
export type ScriptedBlock =
  | { readonly type: 'text'; readonly text: string; readonly chunks?: number }
  | {
      readonly type: 'thinking';
      readonly thinking: string;
      readonly signature: string;
      readonly chunks?: number;
    }
  | {
      readonly type: 'tool_use';
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
      /** Without one the API numbers the calls: `toolu_0001`, `toolu_0002`, … */
      readonly id?: string;
      readonly chunks?: number;
    };

/** A whole assistant message. */
export interface MessageStep {
  readonly kind: 'message';
  readonly blocks: readonly ScriptedBlock[];
  readonly stopReason?: string;
  readonly usage?: Partial<ScriptedUsage>;
}

/** An error answer with the API's error body. */
export interface ErrorStep {
  readonly kind: 'error';
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One scripted answer: see the constructors {@link text}, {@link toolUse}, {@link apiError} and their neighbours. */
export type Step =
  | MessageStep
  | ErrorStep
  | { readonly kind: 'delay'; readonly milliseconds: number; readonly step: Step }
  | { readonly kind: 'stall'; readonly step: MessageStep }
  | { readonly kind: 'hang' }
  | { readonly kind: 'disconnect' };

/** What every constructor of a message accepts besides the content. */
export interface MessageStepOptions {
  /** Replaces the derived `stop_reason`, which is `tool_use` when a tool is called and `end_turn` otherwise. */
  readonly stopReason?: string;
  readonly usage?: Partial<ScriptedUsage>;
}

interface BlockOptions extends MessageStepOptions {
  /** Into how many deltas the block is cut when it is streamed. Default 1. */
  readonly chunks?: number;
}

/** The model says something. */
export function text(words: string, options: BlockOptions = {}): MessageStep {
  return message([{ type: 'text', text: words, ...chunksOf(options) }], options);
}

/** The model thinks. Alone it makes a message without an answer; put it before others with {@link blocks}. */
export function thinking(
  words: string,
  options: BlockOptions & { readonly signature?: string } = {},
): MessageStep {
  const signature = options.signature ?? 'scripted-signature';
  return message([{ type: 'thinking', thinking: words, signature, ...chunksOf(options) }], options);
}

/** The model calls one tool. */
export function toolUse(
  name: string,
  input: Readonly<Record<string, unknown>> = {},
  options: BlockOptions & { readonly id?: string } = {},
): MessageStep {
  const id = options.id === undefined ? {} : { id: options.id };
  return message([{ type: 'tool_use', name, input, ...id, ...chunksOf(options) }], options);
}

/** The model calls several tools in one message: `toolUses([{ name: 'add', input: { a: 1, b: 2 } }, …])`. */
export function toolUses(
  calls: readonly {
    readonly name: string;
    readonly input?: Readonly<Record<string, unknown>>;
    readonly id?: string;
  }[],
  options: MessageStepOptions = {},
): MessageStep {
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
    parts.flatMap((part) => ('kind' in part ? part.blocks : [part])),
    options,
  );
}

/**
 * The API refuses: `apiError(529, 'overloaded_error', 'Overloaded')`. A client's retry takes the next step. CLI 2.1.325 also
 * repeats a request after a 400 whose message it does not know, up to five times with fewer beta features; a script that
 * is a function can go on refusing.
 */
export function apiError(
  status: number,
  type: string,
  explanation: string,
  options: { readonly headers?: Readonly<Record<string, string>> } = {},
): ErrorStep {
  return { kind: 'error', status, type, message: explanation, headers: options.headers ?? {} };
}

/** Waits before it answers with `step`. The wait ends early when the client goes away. */
export function delay(milliseconds: number, step: Step): Step {
  return { kind: 'delay', milliseconds, step };
}

/** Never answers; the request stays open until the client goes away or the API is closed. */
export function hang(): Step {
  return { kind: 'hang' };
}

/**
 * Begins to answer and then falls silent with the connection open. All blocks but the last arrive whole; of the last one
 * the first half of its deltas arrives, and never its end.
 */
export function stall(step: MessageStep): Step {
  return { kind: 'stall', step };
}

/** Destroys the connection without an answer. */
export function disconnect(): Step {
  return { kind: 'disconnect' };
}

/** A short name of a step for messages to people. */
export function describeStep(step: Step): string {
  switch (step.kind) {
    case 'message':
      return step.blocks.map(describeBlock).join(' + ') || 'empty message';
    case 'error':
      return `error ${step.status} ${step.type}`;
    case 'delay':
      return `delay ${step.milliseconds} ms, then ${describeStep(step.step)}`;
    case 'stall':
      return `stall in ${describeStep(step.step)}`;
    default:
      return step.kind;
  }
}

function describeBlock(block: ScriptedBlock): string {
  if (block.type === 'tool_use') return `call of ${block.name}`;
  const words = block.type === 'text' ? block.text : block.thinking;
  return `${block.type} ${JSON.stringify(words.length > 40 ? `${words.slice(0, 40)}…` : words)}`;
}

function message(content: readonly ScriptedBlock[], options: MessageStepOptions): MessageStep {
  return {
    kind: 'message',
    blocks: content,
    ...(options.stopReason === undefined ? {} : { stopReason: options.stopReason }),
    ...(options.usage === undefined ? {} : { usage: options.usage }),
  };
}

function chunksOf(options: BlockOptions): { chunks?: number } {
  return options.chunks === undefined ? {} : { chunks: options.chunks };
}
