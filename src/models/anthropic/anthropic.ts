import { wait } from '../../protocol/base/clock.js';
import { messageOf, TenonError } from '../../protocol/base/errors.js';
import type { StreamEvent } from '../../protocol/wire/content.js';
import {
  type Model,
  type ModelContext,
  ModelError,
  type ModelRequest,
  type PriceTable,
} from '../../runtime/model.js';
import { delayBefore, isWorthRetrying } from './retries.js';

export interface AnthropicOptions {
  /** Default: the environment variable ANTHROPIC_API_KEY. */
  apiKey?: string | undefined;
  /** In place of a key. Default: ANTHROPIC_AUTH_TOKEN. */
  authToken?: string | undefined;
  /** Any server that speaks the Messages API, a local one too. Default: ANTHROPIC_BASE_URL, then the API itself. */
  baseURL?: string | undefined;
  model?: string | undefined;
  /** How often a request that failed for a transient reason is sent again. */
  maxRetries?: number | undefined;
}

/** Short names of the current models. */
const ALIASES: Record<string, string> = { opus: 'claude-opus-5-5', sonnet: 'claude-sonnet-5-5' };

const DEFAULT_MODEL = 'claude-opus-5-5';
const DEFAULT_MAX_RETRIES = 10;

/** List prices in dollars per million tokens. */
const PRICES: PriceTable = {
  'claude-opus-5-5': { input: 4, output: 20 },
  'claude-sonnet-5-5': { input: 2, output: 10 },
};

/** Claude, or whatever answers the Messages API at `baseURL`. Needs the package `@anthropic-ai/sdk`. */
export function anthropic(options: AnthropicOptions = {}): Model {
  const { maxRetries = DEFAULT_MAX_RETRIES } = options;
  let client: Promise<MessagesClient> | undefined;
  return {
    name: options.model ?? DEFAULT_MODEL,
    resolve: (name) => ALIASES[name] ?? name,
    prices: withAliases(PRICES),
    async *stream(request, context) {
      client ??= connect(options);
      const { messages } = await client;
      const mostRetries = Math.min(maxRetries, context.maxRetries ?? maxRetries);
      for (let attempt = 1; ; attempt += 1) {
        let hasBegun = false;
        try {
          const events = await messages.create(bodyOf(request), {
            signal: context.signal,
            maxRetries: 0,
            ...headersOf(request),
          });
          for await (const event of events) {
            hasBegun = true;
            yield event;
          }
          return;
        } catch (error) {
          // Once part of the answer has been seen, a second attempt would repeat it.
          const isOver = hasBegun || context.signal.aborted || attempt > mostRetries;
          if (isOver || !isWorthRetrying(error)) throw modelError(error);
          await retryLater(error, attempt, mostRetries, context);
        }
      }
    },
  };
}

interface MessagesClient {
  messages: {
    create(body: object, options: object): Promise<AsyncIterable<StreamEvent>>;
  };
}

async function connect({ apiKey, authToken, baseURL }: AnthropicOptions): Promise<MessagesClient> {
  let module: { default: new (options: object) => unknown };
  try {
    module = (await import('@anthropic-ai/sdk')) as never;
  } catch (error) {
    throw new TenonError(
      'PACKAGE_NOT_FOUND',
      'anthropic() needs the package "@anthropic-ai/sdk". Install it: npm install @anthropic-ai/sdk',
      { cause: error },
    );
  }
  const given = {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(authToken === undefined ? {} : { authToken }),
    ...(baseURL === undefined ? {} : { baseURL }),
  };
  return new module.default(given) as MessagesClient;
}

/** Empty lists are left out, because the API rejects some of them. */
function bodyOf({ model, max_tokens, system, messages, tools, ...more }: ModelRequest): object {
  const { thinking, output_config } = more;
  return {
    model: ALIASES[model] ?? model,
    max_tokens,
    stream: true,
    messages,
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(output_config === undefined ? {} : { output_config }),
  };
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

async function retryLater(
  error: unknown,
  attempt: number,
  maxRetries: number,
  { signal, onRetry }: ModelContext,
): Promise<void> {
  const delayMs = delayBefore(attempt, error);
  const { status = null } = error as { status?: number | null };
  onRetry({ attempt, maxRetries, delayMs, status, error: kindOf(status) });
  await wait(delayMs, { signal });
}

function kindOf(status: number | null): string {
  if (status === 429) return 'rate_limit';
  if (status === 529) return 'overloaded';
  if (status === 401) return 'authentication_failed';
  return status !== null && status >= 500 ? 'server_error' : 'unknown';
}

function modelError(error: unknown): unknown {
  const { status, error: body } = error as {
    status?: number;
    error?: { error?: { type?: string; message?: string } };
  };
  if (typeof status !== 'number') return new ModelError(messageOf(error), { cause: error });
  const said = body?.error;
  return new ModelError(said?.message ?? messageOf(error), {
    status,
    ...(said?.type === undefined ? {} : { type: said.type }),
    cause: error,
  });
}
