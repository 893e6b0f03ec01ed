import type { StructuredOutput } from './tools/structured-output.js';
import type { UsageLedger } from './usage.js';

/** Why a turn must not go on. */
export interface Limit {
  subtype: string;
  terminalReason: string | undefined;
  text: string;
}

export const MAX_STRUCTURED_TRIES = 5;

export interface LimitSettings {
  maxTurns: number | undefined;
  maxBudgetUsd: number | undefined;
  /** Of the next request. */
  model(): string;
}

/** What bounds a turn: requests, money, and answers that do not fit. */
export class TurnLimits {
  readonly #settings: LimitSettings;
  readonly #usage: UsageLedger;
  readonly #structured: StructuredOutput | undefined;

  constructor(settings: LimitSettings, usage: UsageLedger, structured: StructuredOutput | undefined) {
    this.#settings = settings;
    this.#usage = usage;
    this.#structured = structured;
  }

  /** Before the first request: what earlier prompts have spent counts, and a price that nobody knows is no budget. */
  beforeRequest(modelCalls: number): Limit | undefined {
    return modelCalls === 0 ? (this.#unknownPrice() ?? this.budget()) : undefined;
  }

  /** With results, or a reminder, for the model in hand. */
  afterTools(modelCalls: number): Limit | undefined {
    if (this.#structured !== undefined && this.#structured.failures >= MAX_STRUCTURED_TRIES) {
      return this.noStructure();
    }
    const { maxTurns } = this.#settings;
    const limit = this.#unknownPrice() ?? this.budget();
    if (limit !== undefined || maxTurns === undefined || modelCalls < maxTurns) return limit;
    const text = `Reached maximum number of turns (${maxTurns})`;
    return { subtype: 'error_max_turns', terminalReason: 'max_turns', text };
  }

  budget(): Limit | undefined {
    const { maxBudgetUsd } = this.#settings;
    if (maxBudgetUsd === undefined || this.#usage.totalCostUsd() < maxBudgetUsd) return undefined;
    const text = `Reached maximum budget ($${maxBudgetUsd})`;
    return { subtype: 'error_max_budget_usd', terminalReason: 'budget_exhausted', text };
  }

  noStructure(): Limit {
    return {
      subtype: 'error_max_structured_output_retries',
      terminalReason: 'structured_output_retry_exhausted',
      text: `No answer fitted the schema in ${MAX_STRUCTURED_TRIES} tries.`,
    };
  }

  /** Without a price nothing would ever be spent, and the budget would bound nothing. */
  #unknownPrice(): Limit | undefined {
    if (this.#settings.maxBudgetUsd === undefined) return undefined;
    const unknown = [this.#settings.model(), ...this.#usage.models].find(
      (model) => !this.#usage.isPriced(model),
    );
    if (unknown === undefined) return undefined;
    const text =
      `maxBudgetUsd cannot be kept: the price of the model "${unknown}" is not known. ` +
      `Give it by embedded({ prices: { '${unknown}': { input, output } } }), in dollars for a million tokens, or leave maxBudgetUsd out.`;
    return { subtype: 'error_during_execution', terminalReason: undefined, text };
  }
}
