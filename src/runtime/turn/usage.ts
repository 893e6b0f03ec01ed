import type { ModelUsage } from '../../protocol/wire/messages/usage.js';
import type { ReportedUsage } from '../conversation/written-lines.js';
import type { Price, PriceTable } from '../model.js';
import { addCounts, emptyCounts, type TokenCounts } from './assistant-stream.js';

/** Token usage of the conversation by model, its cost where prices are known, and how long it waited. */
export class UsageLedger {
  readonly #prices: readonly PriceTable[];
  readonly #byModel = new Map<string, TokenCounts>();
  /** The usage of the last answer; undefined before the first. */
  lastRequest: TokenCounts | undefined;
  /** The time of all requests to models, their answers included. */
  apiMs = 0;
  #turn = emptyCounts();

  /** Earlier tables take precedence. */
  constructor(prices: readonly (PriceTable | undefined)[] = []) {
    this.#prices = prices.filter((table) => table !== undefined);
  }

  /** The models that have answered. */
  get models(): string[] {
    return [...this.#byModel.keys()];
  }

  isPriced(model: string): boolean {
    return this.#priceOf(model) !== undefined;
  }

  beginTurn(): void {
    this.#turn = emptyCounts();
  }

  add(model: string, counts: TokenCounts): void {
    this.lastRequest = { ...counts };
    const sum = this.#byModel.get(model) ?? emptyCounts();
    addCounts(sum, counts);
    addCounts(this.#turn, counts);
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
    for (const [model, counts] of this.#byModel) total += this.#cost(model, counts);
    return total;
  }

  modelUsage(): Record<string, ModelUsage> {
    return Object.fromEntries(
      [...this.#byModel].map(([model, counts]): [string, ModelUsage] => [
        model,
        {
          inputTokens: counts.input_tokens,
          outputTokens: counts.output_tokens,
          cacheReadInputTokens: counts.cache_read_input_tokens,
          cacheCreationInputTokens: counts.cache_creation_input_tokens,
          webSearchRequests: 0,
          costUSD: this.#cost(model, counts),
          contextWindow: 0,
          maxOutputTokens: 0,
          costBasis: this.#priceOf(model) === undefined ? 'unknown' : 'list',
        },
      ]),
    );
  }

  #priceOf(model: string): Price | undefined {
    // A name with a date is the same model: claude-opus-5-5-20261101.
    const names = [model, model.replace(/-\d{8}$/, '')];
    for (const table of this.#prices) {
      const known = names.find((name) => Object.hasOwn(table, name));
      if (known !== undefined) return table[known];
    }
    return undefined;
  }

  #cost(model: string, counts: TokenCounts): number {
    const price = this.#priceOf(model);
    if (price === undefined) return 0;
    const { input, output, cacheWrite = input * 1.25, cacheRead = input * 0.1 } = price;
    return (
      (counts.input_tokens * input +
        counts.output_tokens * output +
        counts.cache_creation_input_tokens * cacheWrite +
        counts.cache_read_input_tokens * cacheRead) /
      1_000_000
    );
  }
}
