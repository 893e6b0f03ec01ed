import type { ModelUsage } from '../../protocol/wire/messages/usage.js';
import type { ReportedUsage } from '../conversation/written-lines.js';
import { knownModels, type Pricing } from '../known-models.js';
import type { Model, Price, PriceTable } from '../model.js';
import type { RuntimeConfig } from '../start/runtime-config.js';
import { addCounts, emptyCounts, type TokenCounts } from './assistant-stream.js';

/** How much a model can hold, and how long its answers may be, in tokens. */
export interface ModelSize {
  contextWindow: number;
  maxOutputTokens: number;
}

/** What a turn counts its requests with: the conversation's ledger, or a subagent's view of it. */
export type TurnUsage = Pick<
  UsageLedger,
  'add' | 'addAside' | 'apiMs' | 'isPriced' | 'lastRequest' | 'learn' | 'models' | 'spentUsd'
>;

interface ModelSum {
  counts: TokenCounts;
  costUsd: number;
  /** At its last answer. */
  size: ModelSize;
}

/** Token usage of the conversation by model, its cost where prices are known, and how long it waited. */
export class UsageLedger {
  readonly #prices: readonly PriceTable[];
  readonly #model: Pick<Model, 'identify'> | undefined;
  /** What is written to the cache is kept for an hour. */
  readonly #isLong: boolean;
  /** Prices of the optional package; null: it has none. */
  readonly #learned = new Map<string, Pricing | null>();
  readonly #byModel = new Map<string, ModelSum>();
  /** The usage of the last answer; undefined before the first. */
  lastRequest: TokenCounts | undefined;
  /** The time of all requests to models, their answers included. */
  apiMs = 0;
  #turn = emptyCounts();
  #spentBefore = 0;

  constructor({ prices, model, cache }: Partial<Pick<RuntimeConfig, 'prices' | 'model' | 'cache'>> = {}) {
    // The user's own come first.
    this.#prices = [prices, model?.prices].filter((table) => table !== undefined);
    this.#model = model;
    this.#isLong = typeof cache === 'object' && cache.ttl === '1h';
  }

  /** The models that have answered. */
  get models(): string[] {
    return [...this.#byModel.keys()];
  }

  isPriced(model: string): boolean {
    return this.#pricingOf(model) !== undefined;
  }

  /** Looks for the price of a model that no table has. */
  async learn(model: string): Promise<void> {
    if (this.isPriced(model) || this.#learned.has(model)) return;
    const identity = this.#model?.identify?.(model);
    const pricing = identity === undefined ? undefined : (await knownModels())?.pricingOf(identity);
    this.#learned.set(model, pricing ?? null);
  }

  /** A new session: what it reports begins at nothing, but a budget counts everything. */
  beginAnew(): void {
    this.#spentBefore += this.totalCostUsd();
    this.#byModel.clear();
    this.lastRequest = undefined;
    this.apiMs = 0;
  }

  /** The cost of all sessions, for the budget. */
  spentUsd(): number {
    return this.#spentBefore + this.totalCostUsd();
  }

  beginTurn(): void {
    this.#turn = emptyCounts();
  }

  add(model: string, counts: TokenCounts, size: ModelSize): void {
    this.lastRequest = { ...counts };
    addCounts(this.#turn, counts);
    this.addAside(model, counts, size);
  }

  /** For a request beside the conversation, such as that for a summary: as in the CLI it is not part of the turn. */
  addAside(model: string, counts: TokenCounts, size: ModelSize): void {
    const sum = this.#byModel.get(model) ?? { counts: emptyCounts(), costUsd: 0, size };
    sum.size = size;
    addCounts(sum.counts, counts);
    // By request, because long ones may have another price.
    sum.costUsd += this.#pricingOf(model)?.(counts, this.#isLong) ?? 0;
    this.#byModel.set(model, sum);
  }

  /** The usage of the turn, in the shape that results have. */
  turnUsage(): ReportedUsage {
    return {
      ...this.#turn,
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: 'standard',
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    };
  }

  totalCostUsd(): number {
    let total = 0;
    for (const { costUsd } of this.#byModel.values()) total += costUsd;
    return total;
  }

  modelUsage(): Record<string, ModelUsage> {
    return Object.fromEntries(
      [...this.#byModel].map(([model, { counts, costUsd, size }]): [string, ModelUsage] => [
        model,
        {
          inputTokens: counts.input_tokens,
          outputTokens: counts.output_tokens,
          cacheReadInputTokens: counts.cache_read_input_tokens,
          cacheCreationInputTokens: counts.cache_creation_input_tokens,
          webSearchRequests: 0,
          costUSD: costUsd,
          ...size,
          costBasis: this.isPriced(model) ? 'list' : 'unknown',
        },
      ]),
    );
  }

  #pricingOf(model: string): Pricing | undefined {
    // A name with a date is the same model: claude-opus-5-5-20261101.
    const names = [model, model.replace(/-\d{8}$/, '')];
    for (const table of this.#prices) {
      const known = names.find((name) => Object.hasOwn(table, name));
      if (known !== undefined) return (counts, isLong) => listCost(table[known] as Price, counts, isLong);
    }
    return this.#learned.get(model) ?? undefined;
  }
}

function listCost(price: Price, counts: TokenCounts, isLong: boolean): number {
  const { input, output, cacheRead = input * 0.1 } = price;
  const { cacheWrite = input * 1.25, cacheWrite1h = input * 2 } = price;
  return (
    (counts.input_tokens * input +
      counts.output_tokens * output +
      counts.cache_creation_input_tokens * (isLong ? cacheWrite1h : cacheWrite) +
      counts.cache_read_input_tokens * cacheRead) /
    1_000_000
  );
}
