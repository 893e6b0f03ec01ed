import type { CacheControl, MessageParam, StreamEvent } from '../protocol/content.js';

/** A tool as the model sees it. */
export interface ModelTool {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
  cache_control?: CacheControl;
}

/** One request to a model, in the form of the Messages API. */
export interface ModelRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly { type: 'text'; text: string; cache_control?: CacheControl }[];
  readonly messages: readonly MessageParam[];
  readonly tools: readonly ModelTool[];
  /** As in the Messages API; absent: as the model does it by itself. */
  readonly thinking?: ModelThinking;
  readonly output_config?: { readonly effort: string };
  /** Features of the API that are asked for by name; a header there. */
  readonly betas?: readonly string[];
}

export type ModelThinking =
  | { readonly type: 'enabled'; readonly budget_tokens: number; readonly display?: string }
  | { readonly type: 'adaptive'; readonly display?: string }
  | { readonly type: 'disabled' };

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheWrite?: number;
  cacheRead?: number;
}

/** Per model; a model that is not in it costs an unknown sum, which is not the same as nothing. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Told of before each further try, so that the host can see why an answer takes long. */
export interface ModelRetry {
  attempt: number;
  maxRetries: number;
  delayMs: number;
  status: number | null;
  error: string;
}

export interface ModelContext {
  /** Aborted by an interrupt or the end of the conversation: the stream then ends at once. */
  readonly signal: AbortSignal;
  onRetry(retry: ModelRetry): void;
  /** Give up after so many tries at the latest: another model stands ready. */
  readonly maxRetries?: number | undefined;
}

/** A model: one streamed answer per request. Errors are `ModelError`s; what was retried inside stays inside. */
export interface Model {
  /** The name that is used when the conversation names none. */
  readonly name: string;
  /** The full name of what people call shorter; the name itself unless given. */
  resolve?(name: string): string;
  /** What it costs, where that is known. */
  readonly prices?: PriceTable | undefined;
  stream(request: ModelRequest, context: ModelContext): AsyncIterable<StreamEvent>;
}

/** The model could not answer, with what the Messages API says of it. */
export class ModelError extends Error {
  readonly status: number | undefined;
  readonly type: string;

  constructor(message: string, details: { status?: number; type?: string; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ModelError';
    this.status = details.status;
    this.type = details.type ?? 'api_error';
  }
}
