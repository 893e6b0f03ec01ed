import { addCounts, emptyCounts, type TokenCounts } from './assistant-stream.js';

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheWrite?: number;
  cacheRead?: number;
}

/** Per model; a model that is not in it costs an unknown sum, which is not the same as nothing. */
export type PriceTable = Readonly<Record<string, Price>>;

/** What the conversation has used, by model, and what that costs where the price is known. */
export class UsageLedger {
  readonly #prices: PriceTable;
  readonly #byModel = new Map<string, TokenCounts>();
  #turn = emptyCounts();

  constructor(prices: PriceTable = {}) {
    this.#prices = prices;
  }

  beginTurn(): void {
    this.#turn = emptyCounts();
  }

  add(model: string, counts: TokenCounts): void {
    const sum = this.#byModel.get(model) ?? emptyCounts();
    addCounts(sum, counts);
    addCounts(this.#turn, counts);
    this.#byModel.set(model, sum);
  }

  /** Of the turn, in the shape that results have. */
  turnUsage(): object {
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

  modelUsage(): Record<string, object> {
    return Object.fromEntries(
      [...this.#byModel].map(([model, counts]) => [
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
    return this.#prices[model];
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
