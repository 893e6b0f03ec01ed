import { clock } from '../protocol/base/clock.js';
import type { ModelIdentity, TokenCounts } from './model.js';

/** What one request costs, in dollars. `isLong`: what it wrote to the cache is kept for an hour. */
export type Pricing = (counts: TokenCounts, isLong: boolean) => number;

/** What the package `@pydantic/genai-prices` knows of models. */
export interface KnownModels {
  pricingOf(identity: ModelIdentity): Pricing | undefined;
  /** The size of its context window, in tokens. */
  windowOf(identity: ModelIdentity): number | undefined;
}

/** What is used of the package. */
interface PricePackage {
  calcPrice(
    usage: Readonly<Record<string, number>>,
    model: string,
    options: { providerId?: string; providerApiUrl?: string; timestamp: Date },
  ): { total_price: number; model: { context_window?: number } } | null;
}

let loading: Promise<KnownModels | undefined> | undefined;

/** Loaded when it is first asked for; undefined if the package is not installed. */
export function knownModels(): Promise<KnownModels | undefined> {
  loading ??= load();
  return loading;
}

async function load(): Promise<KnownModels | undefined> {
  // Not a literal: a bundler would insist on a package that nobody has to install.
  const name: string = '@pydantic/genai-prices';
  try {
    return known(await import(/* @vite-ignore */ /* webpackIgnore: true */ name));
  } catch {
    return undefined;
  }
}

function known({ calcPrice }: PricePackage): KnownModels {
  const calculated = (usage: Record<string, number>, { model, provider, url }: ModelIdentity) =>
    calcPrice(usage, model, {
      ...(provider === undefined ? {} : { providerId: provider }),
      ...(url === undefined ? {} : { providerApiUrl: url }),
      timestamp: new Date(clock.now()),
    });
  const found = (identity: ModelIdentity) => calculated({ input_tokens: 0, output_tokens: 0 }, identity);
  return {
    pricingOf: (identity) => {
      if (found(identity) === null) return undefined;
      return (counts, isLong) => calculated(usageOf(counts, isLong), identity)?.total_price ?? 0;
    },
    windowOf: (identity) => found(identity)?.model.context_window,
  };
}

/** There, the number of input tokens includes those that were cached. */
function usageOf(counts: TokenCounts, isLong: boolean): Record<string, number> {
  const { input_tokens: fresh, output_tokens, cache_read_input_tokens: read } = counts;
  const written = counts.cache_creation_input_tokens;
  return {
    input_tokens: fresh + read + written,
    output_tokens,
    cache_read_tokens: read,
    cache_write_tokens: written,
    ...(isLong ? { cache_write_1h_tokens: written } : {}),
  };
}
