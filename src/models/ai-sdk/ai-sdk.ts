import { OptionError } from '../../protocol/base/errors.js';
import type { StreamEvent } from '../../protocol/wire/content.js';
import {
  type Model,
  type ModelContext,
  ModelError,
  type ModelIdentity,
  type ModelRequest,
  type PriceTable,
} from '../../runtime/model.js';
import { DEFAULT_MAX_RETRIES, withRetries } from '../retrying.js';
import { AnswerWriter } from './answer.js';
import { AnswerEvents } from './answer-events.js';
import { failureOf, modelError } from './failures.js';
import { filesOf, type PortableFile } from './files.js';
import { PromptWriter } from './prompt.js';
import { mergedOptions, type ProviderTraits, traitsOf } from './providers.js';
import type { AiSdkLanguageModel, CallOptions, JsonObject, ProviderMetadata } from './specification.js';
import { ToolAliases } from './tool-aliases.js';

export type { AiSdkLanguageModel } from './specification.js';

/** How the model answers; each is passed on as it is. */
export interface AiSdkCallSettings {
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  presencePenalty?: number | undefined;
  frequencyPenalty?: number | undefined;
  stopSequences?: string[] | undefined;
  seed?: number | undefined;
}

export interface AiSdkOptions {
  /** The name in the conversation, for prices and for `model`. Default: the id of the model. */
  name?: string | undefined;
  /** Further models by name, for `model`, `fallbackModel` and `setModel()`. */
  models?: Readonly<Record<string, AiSdkLanguageModel>> | undefined;
  /** How often a request that failed for a transient reason is sent again. Default: 10. */
  maxRetries?: number | undefined;
  settings?: AiSdkCallSettings | undefined;
  /** Options of the provider, by its name: `{ openai: { reasoningEffort: 'low' } }`. They win over Tenon's own. */
  providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * For providers with a key that keeps requests on one cache (OpenAI): a key of yours, or `session` for one key for
   * each conversation. Default: none.
   */
  promptCacheKey?: string | undefined;
  /** The tokens that the model can hold, its answer included: one number, or one for each name. Default: unknown. */
  contextWindow?: number | Readonly<Record<string, number>> | undefined;
  /** Dollars per million tokens, by name. */
  prices?: PriceTable | undefined;
}

const VERSIONS = ['v2', 'v3', 'v4'];

/** Any language model of the AI SDK family as a model of the embedded runtime. */
export function aiSdk(model: AiSdkLanguageModel, options: AiSdkOptions = {}): Model {
  checkModel('aiSdk(model)', model);
  const name = options.name ?? model.modelId;
  const adapters = new Map([[name, new AiSdkAdapter(name, model, options)]]);
  for (const [other, given] of Object.entries(options.models ?? {})) {
    checkModel(`aiSdk(…, { models: { "${other}": … } })`, given);
    adapters.set(other, new AiSdkAdapter(other, given, options));
  }
  return {
    name,
    prices: options.prices,
    identify: (wanted) => adapters.get(wanted)?.identity,
    window: (wanted) =>
      typeof options.contextWindow === 'object' ? options.contextWindow[wanted] : options.contextWindow,
    accepts: (wanted) => adapters.has(wanted),
    stream(request, context) {
      const adapter = adapters.get(request.model);
      if (adapter === undefined) throw unknownModel(request.model, [...adapters.keys()]);
      return adapter.stream(request, context);
    },
  };
}

function unknownModel(name: string, known: string[]): ModelError {
  const message = `aiSdk() does not know the model "${name}". It knows ${known.join(', ')}; give others in its option \`models\`.`;
  return new ModelError(message, { status: 404, type: 'not_found_error' });
}

function checkModel(what: string, model: unknown): asserts model is AiSdkLanguageModel {
  if (typeof model === 'string') {
    throw new OptionError(
      'model',
      model,
      `${what}: "${model}" is a name. Give the model itself, such as openai('${model}') of the package @ai-sdk/openai.`,
    );
  }
  const { specificationVersion: version, doStream } = (model ?? {}) as Partial<AiSdkLanguageModel>;
  if (typeof doStream === 'function' && VERSIONS.includes(String(version))) return;
  const given = version === undefined ? typeof model : `a model of specification ${String(version)}`;
  throw new OptionError(
    'model',
    model,
    `${what}: expected a language model of the AI SDK, specification ${VERSIONS.join(', ')}; it is ${given}. ` +
      "For example: aiSdk(openai('gpt-5')) with the package @ai-sdk/openai, from version 2 on.",
  );
}

/** One model of the AI SDK. */
class AiSdkAdapter {
  readonly #name: string;
  readonly #model: AiSdkLanguageModel;
  readonly #options: AiSdkOptions;
  readonly #aliases = new ToolAliases();
  readonly #traits: ProviderTraits;
  readonly #files: PortableFile;
  /** Whose metadata is kept with an answer, and sent back. */
  readonly #source: string;
  readonly identity: ModelIdentity;

  constructor(name: string, model: AiSdkLanguageModel, options: AiSdkOptions) {
    // Models of small makers do not always say whose they are.
    const { provider = 'unknown', modelId, specificationVersion } = model;
    this.#name = name;
    this.#model = model;
    this.#options = options;
    this.#traits = traitsOf({ provider, modelId });
    this.#files = filesOf(specificationVersion);
    this.#source = `${provider}/${modelId}`;
    this.identity = { model: modelId, provider };
  }

  stream(request: ModelRequest, context: ModelContext): AsyncIterable<StreamEvent> {
    const { maxRetries = DEFAULT_MAX_RETRIES } = this.#options;
    let call: CallOptions | undefined;
    const open = async (): Promise<AsyncIterable<StreamEvent>> => {
      call ??= this.#call(request, context);
      return this.#attempt(call, context);
    };
    return withRetries(open, context, maxRetries, { of: failureOf, told: modelError });
  }

  async #attempt(call: CallOptions, { warn }: ModelContext): Promise<AnswerEvents> {
    const answer = new AnswerWriter({
      model: this.#name,
      source: this.#source,
      aliases: this.#aliases,
      countsCacheApart: this.#traits.countsCacheApart === true,
      warn,
    });
    const { stream } = await this.#model.doStream(call as never);
    return new AnswerEvents(stream, answer);
  }

  #call(request: ModelRequest, { signal, warn, sessionId }: ModelContext): CallOptions {
    const { specificationVersion: version } = this.#model;
    const traits = this.#traits;
    const { promptCacheKey: key, settings, providerOptions, headers } = this.#options;
    const writer = new PromptWriter({
      traits,
      version,
      files: this.#files,
      aliases: this.#aliases,
      source: this.#source,
      warn,
    });
    const tools = writer.tools(request.tools);
    const promptCacheKey = key === 'session' ? sessionId : key;
    const own = {
      ...(promptCacheKey !== undefined && traits.hasCacheKey ? { promptCacheKey } : {}),
      ...(version === 'v4' ? {} : this.#thinking(request, warn)),
    };
    const merged = mergedOptions({ [traits.key]: own }, providerOptions as ProviderMetadata | undefined);
    const sent = { ...this.#betas(request, warn), ...headers };
    return {
      ...definedIn(settings),
      ...(version === 'v4' ? reasoningOf(request) : {}),
      prompt: writer.write(request),
      maxOutputTokens: request.max_tokens,
      abortSignal: signal,
      ...(tools.length === 0 ? {} : { tools }),
      ...(merged === undefined ? {} : { providerOptions: merged }),
      ...(Object.keys(sent).length === 0 ? {} : { headers: sent }),
    };
  }

  #thinking(request: ModelRequest, warn: ModelContext['warn']): JsonObject {
    const { thinking, output_config: output } = request;
    const isWanted = output !== undefined || (thinking !== undefined && thinking.type !== 'disabled');
    const options = this.#traits.thinking?.(request);
    if (options !== undefined) return options;
    if (isWanted)
      warn(
        `${this.#model.provider}: thinking and effort cannot be set with this provider; its own default counts.`,
      );
    return {};
  }

  #betas({ betas = [] }: ModelRequest, warn: ModelContext['warn']): Record<string, string> {
    const { betaHeader } = this.#traits;
    if (betas.length === 0) return {};
    if (betaHeader !== undefined) return { [betaHeader]: betas.join(',') };
    warn(`${this.#model.provider}: \`betas\` are features of another vendor's API and have no effect.`);
    return {};
  }
}

/** V4 has one setting for all providers. A number of tokens becomes the level that comes nearest. */
function reasoningOf({ thinking, output_config: output }: ModelRequest): { reasoning?: string } {
  if (thinking?.type === 'disabled') return { reasoning: 'none' };
  if (output !== undefined) return { reasoning: output.effort };
  if (thinking?.type !== 'enabled') return {};
  const { budget_tokens: tokens } = thinking;
  return { reasoning: tokens <= 2_048 ? 'low' : tokens <= 10_000 ? 'medium' : 'high' };
}

function definedIn(settings: AiSdkCallSettings | undefined): JsonObject {
  return Object.fromEntries(Object.entries(settings ?? {}).filter(([, value]) => value !== undefined));
}
