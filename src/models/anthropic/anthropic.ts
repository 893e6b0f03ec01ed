import { messageOf, OptionError, TenonError } from '../../protocol/base/errors.js';
import { hostVariable } from '../../protocol/base/host-process.js';
import type { MessageParam, StreamEvent } from '../../protocol/wire/content.js';
import {
  type Model,
  ModelError,
  type ModelIdentity,
  type ModelRequest,
  type PriceTable,
} from '../../runtime/model.js';
import { withoutMetadata } from '../kept-metadata.js';
import {
  DEFAULT_MAX_RETRIES,
  type Failure,
  isTransientStatus,
  statusOfType,
  withRetries,
} from '../retrying.js';
import type { MessagesFetch } from './messages-fetch.js';

export type { MessagesFetch } from './messages-fetch.js';

export interface AnthropicOptions {
  /** Default: the environment variable ANTHROPIC_API_KEY. */
  apiKey?: string | undefined;
  /** In place of a key. Default: ANTHROPIC_AUTH_TOKEN. */
  authToken?: string | undefined;
  /** Any server that speaks the Messages API, a local one too. Default: ANTHROPIC_BASE_URL, then the API itself. */
  baseURL?: string | undefined;
  /**
   * A ready client, in place of a key and a URL: `Anthropic` of `@anthropic-ai/sdk`, or that of the vendor's packages
   * for Bedrock, Vertex and Foundry. The names of models are those of that platform.
   */
  client?: AnthropicClient | undefined;
  /** In place of the global `fetch`: for a proxy, or a test. */
  fetch?: MessagesFetch | undefined;
  model?: string | undefined;
  /** How often a request that failed for a transient reason is sent again. Default: 10. */
  maxRetries?: number | undefined;
}

/** What is used of a client. */
export interface AnthropicClient {
  messages: {
    // Each release of the vendor's packages has its own types for these.
    create(body: never, options?: never): PromiseLike<unknown>;
  };
}

/** Short names of the current models. */
const ALIASES: Readonly<Record<string, string>> = {
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
  fable: 'claude-fable-5-2',
};

const DEFAULT_MODEL = 'claude-opus-5-5';

/** List prices in dollars per million tokens. */
const PRICES: PriceTable = {
  'claude-opus-5-5': { input: 4, output: 20, cacheRead: 0.2 },
  'claude-sonnet-5-5': { input: 2, output: 10, cacheRead: 0.1 },
  'claude-haiku-5-5': { input: 0.1, output: 0.5 },
  'claude-fable-5-2': { input: 8, output: 40, cacheRead: 0.2 },
};

/**
 * Claude, or whatever answers the Messages API at `baseURL`. Needs no package. Throws at the first request if there is
 * nothing to authenticate with.
 */
export function anthropic(options: AnthropicOptions = {}): Model {
  const { maxRetries = DEFAULT_MAX_RETRIES } = options;
  checkClient(options);
  // The platforms of other vendors have names of their own.
  const aliases = options.client === undefined ? ALIASES : {};
  let client: Promise<AnthropicClient> | undefined;
  return {
    name: options.model ?? DEFAULT_MODEL,
    resolve: (name) => aliases[name] ?? name,
    identify: (name) => identityOf(options, aliases[name] ?? name),
    prices: withAliases(PRICES),
    tracesItself: hasTracer(options.client),
    window: (name) => windowOf(aliases[name] ?? name),
    stream(request, context) {
      const open = async (): Promise<AsyncIterable<StreamEvent>> => {
        client ??= options.client === undefined ? connect(options) : Promise.resolve(options.client);
        const { messages } = await client;
        const sent = { signal: context.signal, maxRetries: 0, ...headersOf(request) };
        return (await messages.create(
          bodyOf(request, aliases) as never,
          sent as never,
        )) as AsyncIterable<StreamEvent>;
      };
      return withRetries(open, context, maxRetries, { of: failureOf, told: modelError });
    },
  };
}

/** Since 1.8 a client of the vendor's packages makes a span of every call. */
function hasTracer(client: AnthropicClient | undefined): boolean {
  return (client as { _tracer?: unknown } | undefined)?._tracer != null;
}

/** A ready client tells by its address whose platform it is for. */
function identityOf({ client }: AnthropicOptions, model: string): ModelIdentity {
  if (client === undefined) return { model, provider: 'anthropic' };
  const { baseURL } = client as { baseURL?: unknown };
  return { model, ...(typeof baseURL === 'string' ? { url: baseURL } : { provider: 'anthropic' }) };
}

function checkClient({ client, ...others }: AnthropicOptions): void {
  if (client === undefined) return;
  if (typeof client.messages?.create !== 'function') {
    throw new OptionError(
      'client',
      client,
      'anthropic({ client }): expected a client with `messages.create`, such as new Anthropic() or new AnthropicBedrock().',
    );
  }
  const beside = (['apiKey', 'authToken', 'baseURL', 'fetch'] as const).find(
    (name) => others[name] !== undefined,
  );
  if (beside === undefined) return;
  throw new OptionError(
    beside,
    others[beside],
    `anthropic({ client }): \`${beside}\` has no effect beside a client. Give it to the client instead.`,
  );
}

async function connect(options: AnthropicOptions): Promise<AnthropicClient> {
  requireCredentials(options);
  const { apiKey, authToken, baseURL, fetch } = options;
  const { MessagesClient } = await import('./messages-client.js');
  const given = new MessagesClient({
    apiKey: apiKey ?? variable('ANTHROPIC_API_KEY'),
    authToken: authToken ?? variable('ANTHROPIC_AUTH_TOKEN'),
    baseURL: baseURL ?? variable('ANTHROPIC_BASE_URL'),
    customHeaders: variable('ANTHROPIC_CUSTOM_HEADERS'),
    fetch,
  });
  return given as AnthropicClient;
}

/** An empty one is none. */
function variable(name: string): string | undefined {
  return hostVariable(name) || undefined;
}

/** Known before any request; the API would say no more than that it does not know us. */
function requireCredentials({ apiKey, authToken }: AnthropicOptions): void {
  const known = [apiKey, authToken, hostVariable('ANTHROPIC_API_KEY'), hostVariable('ANTHROPIC_AUTH_TOKEN')];
  if (known.some((value) => value !== undefined && value !== '')) return;
  throw new OptionError(
    'apiKey',
    apiKey,
    'anthropic() has no key. Set the environment variable ANTHROPIC_API_KEY, or give `apiKey`, `authToken` or a ready `client`.',
  );
}

/** Empty lists are left out, because the API rejects some of them. */
function bodyOf(request: ModelRequest, aliases: Readonly<Record<string, string>>): object {
  const { model, max_tokens, system, messages, tools, thinking, output_config } = request;
  return {
    model: aliases[model] ?? model,
    max_tokens,
    stream: true,
    messages: joinedMessages(withoutMetadata(messages)),
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(output_config === undefined ? {} : { output_config }),
  };
}

type Blocks = Exclude<MessageParam['content'], string>;

/**
 * Messages of the user that follow each other are one, as the CLI sends them: after an interrupt, what the user says
 * next comes with the results, which are in front, where the API wants them.
 */
function joinedMessages(messages: readonly MessageParam[]): MessageParam[] {
  const joined: MessageParam[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === 'user' && message.role === 'user') {
      const content = [...blocksOf(last), ...blocksOf(message)] as Blocks;
      joined.splice(-1, 1, { ...last, content });
    } else joined.push(message);
  }
  return joined;
}

function blocksOf({ content }: MessageParam): Blocks {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function headersOf({ betas = [] }: ModelRequest): object {
  return betas.length > 0 ? { headers: { 'anthropic-beta': betas.join(',') } } : {};
}

function withAliases(prices: PriceTable): PriceTable {
  const aliased = Object.entries(ALIASES).flatMap(([alias, name]) => {
    const price = prices[name];
    return price === undefined ? [] : [[alias, price] as const];
  });
  return { ...prices, ...Object.fromEntries(aliased) };
}

/** The models that hold a million tokens; those before them hold a fifth of that. */
const MILLION = /claude-(opus|sonnet|haiku|fable)-(5|4-8)\b/;

/** Names of other platforms contain these: `anthropic.claude-opus-5-5-v1:0`. Another name is not a model of ours. */
function windowOf(name: string): number | undefined {
  if (MILLION.test(name)) return 1_000_000;
  return name.includes('claude-') ? 200_000 : undefined;
}

/** What the vendor's packages throw. */
interface ThrownByClient {
  status?: number;
  name?: unknown;
  headers?: { get?(name: string): string | null };
  error?: { error?: { type?: string; message?: string } };
}

function failureOf(error: unknown): Failure {
  const { status = statusOfType(saidBy(error)?.type), name, headers } = error as ThrownByClient;
  const isTransient =
    typeof status === 'number'
      ? isTransientStatus(status)
      : typeof name === 'string' && /connection|timeout/i.test(name);
  return { status, isTransient, header: (wanted) => headers?.get?.(wanted), reason: reasonOf(error) };
}

function saidBy(error: unknown): { type?: string; message?: string } | undefined {
  return (error as ThrownByClient).error?.error;
}

/** "Connection error." says little; its cause names the address. */
function reasonOf(error: unknown): string {
  const said = saidBy(error)?.message ?? messageOf(error);
  let cause: unknown = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  const detail = cause === error ? '' : messageOf(cause);
  return detail === '' || said.includes(detail) ? said : `${said} (${detail})`;
}

function modelError(error: unknown): unknown {
  // Ours: there is no key, or nobody waits any more.
  if (error instanceof TenonError) return error;
  const { status } = failureOf(error);
  if (typeof status !== 'number') return new ModelError(reasonOf(error), { cause: error });
  const said = saidBy(error);
  return new ModelError(said?.message ?? messageOf(error), {
    status,
    ...(said?.type === undefined ? {} : { type: said.type }),
    cause: error,
  });
}
