import { OptionError, TenonError } from '../protocol/base/errors.js';
import { isRecord, kindOf } from '../protocol/base/kinds.js';
import type { CacheControl, MessageParam, StreamEvent } from '../protocol/wire/content.js';

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
  /** As in the Messages API; absent: the default of the model. */
  readonly thinking?: ModelThinking;
  readonly output_config?: { readonly effort: string };
  /** Beta features of the API, sent as a header. */
  readonly betas?: readonly string[];
}

export type ModelThinking =
  | { readonly type: 'enabled'; readonly budget_tokens: number; readonly display?: string }
  | { readonly type: 'adaptive'; readonly display?: string }
  | { readonly type: 'disabled' };

export interface TokenCounts {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

/** US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  /** Default: 1.25 times the input. */
  cacheWrite?: number;
  /** What is kept for an hour. Default: twice the input. */
  cacheWrite1h?: number;
  /** Default: a tenth of the input. */
  cacheRead?: number;
}

/** Whose model it is, for tables of prices and windows. */
export interface ModelIdentity {
  /** Its name there. */
  model: string;
  /** Such as `openai`, `amazon-bedrock`. */
  provider?: string | undefined;
  /** The address of its API, where the provider is not known. */
  url?: string | undefined;
}

/** By model. The cost of a model that is not listed is unknown, not zero. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Reported before each retry, so that the host can see why an answer takes long. */
export interface ModelRetry {
  attempt: number;
  maxRetries: number;
  delayMs: number;
  status: number | null;
  /** What kind of failure it was. */
  error: string;
  /** What failed, in the words of the API or the network. */
  reason?: string | undefined;
}

export interface ModelContext {
  /** Aborted by an interrupt or the end of the conversation: the stream must then end immediately. */
  readonly signal: AbortSignal;
  onRetry(retry: ModelRetry): void;
  /** Tells the host of something that the model cannot do. The same words are passed on once. */
  warn(text: string): void;
  /** The id of the conversation, for caches that want a key. */
  readonly sessionId: string;
  /** The maximum number of retries, if there is a fallback model. */
  readonly maxRetries?: number | undefined;
}

/**
 * A model: one streamed answer per request. It throws `ModelError`s, and only after its own retries have
 * failed.
 */
export interface Model {
  /** The name used if the conversation does not select a model. */
  readonly name: string;
  /** Whether it can answer under this name. Absent: under any. */
  accepts?(name: string): boolean;
  /** The full name for a short one. Absent: names are already full. */
  resolve?(name: string): string;
  /** Whose model answers under this name. Absent, or undefined: one that no table knows. */
  identify?(name: string): ModelIdentity | undefined;
  /** The tokens that it can hold under this name, its answer included. Absent or undefined: unknown. */
  window?(name: string): number | undefined;
  /** Its prices, if known. */
  readonly prices?: PriceTable | undefined;
  /** Its requests have OpenTelemetry spans already, for instance because a client library makes them. Default: false. */
  readonly tracesItself?: boolean | undefined;
  stream(request: ModelRequest, context: ModelContext): AsyncIterable<StreamEvent>;
}

/** The model could not answer, with the details of the Messages API. */
export class ModelError extends TenonError {
  static override readonly className = 'ModelError';
  readonly status: number | undefined;
  readonly type: string;

  constructor(message: string, details: { status?: number; type?: string; cause?: unknown } = {}) {
    super('MODEL_FAILED', message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
    this.type = details.type ?? 'api_error';
  }
}

/** A configuration without a usable model would fail much later, in the middle of a turn. */
export function checkModel(config: { readonly model?: unknown }, caller: string): void {
  const { model } = config;
  if (isRecord(model) && typeof model.stream === 'function' && typeof model.name === 'string') return;
  const isModel = 'stream' in config;
  const given = model === undefined ? 'missing' : typeof model === 'string' ? `"${model}"` : kindOf(model);
  throw new OptionError(
    'model',
    model,
    `${caller}(): \`model\` must be a model with a \`name\` and a \`stream()\` method, such as embedded({ model: anthropic() }); it is ${given}.` +
      (isModel ? ' Write embedded({ model: … }) around the model.' : ''),
  );
}
