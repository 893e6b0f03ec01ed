import type { TokenCounts } from '../turn/assistant-stream.js';
import type { ModelSize, TurnUsage, UsageLedger } from '../turn/usage.js';

/** What a subagent uses counts for the conversation, but not as part of the turn that it was called in. */
export class AgentUsage implements TurnUsage {
  lastRequest: TokenCounts | undefined;
  readonly #ledger: UsageLedger;

  constructor(ledger: UsageLedger) {
    this.#ledger = ledger;
  }

  get apiMs(): number {
    return this.#ledger.apiMs;
  }

  set apiMs(milliseconds: number) {
    this.#ledger.apiMs = milliseconds;
  }

  get models(): string[] {
    return this.#ledger.models;
  }

  isPriced(model: string): boolean {
    return this.#ledger.isPriced(model);
  }

  learn(model: string): Promise<void> {
    return this.#ledger.learn(model);
  }

  spentUsd(): number {
    return this.#ledger.spentUsd();
  }

  add(model: string, counts: TokenCounts, size: ModelSize): void {
    this.lastRequest = { ...counts };
    this.addAside(model, counts, size);
  }

  addAside(model: string, counts: TokenCounts, size: ModelSize): void {
    this.#ledger.addAside(model, counts, size);
  }
}
