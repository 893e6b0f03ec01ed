import { clock } from '../protocol/base/clock.js';
import { LIMITS } from '../protocol/base/limits.js';
import type { ModelIdentity, TokenCounts } from './model.js';
import { emptyCounts } from './turn/assistant-stream.js';

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
  ): Calculated | null;
}

interface Calculated {
  total_price: number;
  model: { context_window?: number; prices?: unknown };
  model_price?: Readonly<Record<string, unknown>>;
}

/** What the table says of one model. */
interface Entry {
  readonly until: number;
  readonly window: number | undefined;
  readonly pricing: Pricing | undefined;
}

/** Names of models may come from users. */
const MOST_ENTRIES = 1_000;
const MILLION = 1_000_000;

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
  // A look at the table takes longer than all else that a request does to be counted.
  const entries = new Map<string, Entry>();
  const entryOf = (identity: ModelIdentity): Entry => {
    const key = `${identity.provider} ${identity.url} ${identity.model}`;
    const before = entries.get(key);
    if (before !== undefined && clock.now() < before.until) return before;
    if (entries.size >= MOST_ENTRIES) entries.clear();
    const entry = lookedUp(calcPrice, identity);
    entries.set(key, entry);
    return entry;
  };
  return {
    pricingOf: (identity) => {
      if (entryOf(identity).pricing === undefined) return undefined;
      return (counts, isLong) => entryOf(identity).pricing?.(counts, isLong) ?? 0;
    },
    windowOf: (identity) => entryOf(identity).window,
  };
}

function lookedUp(calcPrice: PricePackage['calcPrice'], { model, provider, url }: ModelIdentity): Entry {
  const calculated = (usage: Record<string, number>): Calculated | null =>
    calcPrice(usage, model, {
      ...(provider === undefined ? {} : { providerId: provider }),
      ...(url === undefined ? {} : { providerApiUrl: url }),
      timestamp: new Date(clock.now()),
    });
  const until = clock.now() + LIMITS.knownModelsMs;
  const found = calculated({});
  if (found === null) return { until, window: undefined, pricing: undefined };
  const pricing: Pricing = (counts, isLong) => calculated(usageOf(counts, isLong))?.total_price ?? 0;
  return {
    until,
    window: found.model.context_window,
    pricing: isByCount(found) ? byCount(pricing) : pricing,
  };
}

/** Every price is a number: none depends on the time or on how much it is. */
function isByCount({ model, model_price: prices }: Calculated): boolean {
  if (prices === undefined || Array.isArray(model.prices)) return false;
  return Object.values(prices).every((price) => typeof price === 'number');
}

/** The same prices, found out once by a million tokens of each kind, and multiplied from then on. */
function byCount(pricing: Pricing): Pricing {
  const none = emptyCounts();
  const kinds = Object.keys(none) as (keyof TokenCounts)[];
  const found = (isLong: boolean): readonly number[] => {
    const base = pricing(none, isLong);
    return [base, ...kinds.map((kind) => (pricing({ ...none, [kind]: MILLION }, isLong) - base) / MILLION)];
  };
  let [short, long]: (readonly number[] | undefined)[] = [];
  return (counts, isLong) => {
    if (isLong) long ??= found(true);
    else short ??= found(false);
    const [base = 0, ...rates] = (isLong ? long : short) ?? [];
    return kinds.reduce((sum, kind, at) => sum + counts[kind] * (rates[at] ?? 0), base);
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
