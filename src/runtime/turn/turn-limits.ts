import type { SDKResultError, TerminalReason } from '../../protocol/wire/messages/index.js';
import type { StructuredOutput } from '../tools/structured-output.js';
import type { UsageLedger } from './usage.js';

/** Why a turn must end. */
export interface Limit {
  subtype: SDKResultError['subtype'];
  terminalReason: TerminalReason | undefined;
  text: string;
}

export const MAX_STRUCTURED_TRIES = 5;

export interface LimitSettings {
  maxTurns: number | undefined;
  maxBudgetUsd: number | undefined;
  /** The model of the next request. */
  model(): string;
}

/** The limits of a turn: requests, money, and answers that do not match the schema. */
export class TurnLimits {
  readonly #settings: LimitSettings;
  readonly #usage: UsageLedger;
  readonly #structured: StructuredOutput | undefined;

  constructor(settings: LimitSettings, usage: UsageLedger, structured: StructuredOutput | undefined) {
    this.#settings = settings;
    this.#usage = usage;
    this.#structured = structured;
  }

  /**
   * Checked before the first request: earlier prompts count towards the budget, and a budget needs known
   * prices.
   */
  beforeRequest(modelCalls: number): Limit | undefined {
    return modelCalls === 0 ? (this.#unknownPrice() ?? this.budget()) : undefined;
  }

  /** Checked when results, or a reminder, are ready for the model. */
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
      text: `No answer matched the schema in ${MAX_STRUCTURED_TRIES} attempts.`,
    };
  }

  /** Without a price the cost would always be zero, and the budget would have no effect. */
  #unknownPrice(): Limit | undefined {
    if (this.#settings.maxBudgetUsd === undefined) return undefined;
    const unknown = [this.#settings.model(), ...this.#usage.models].find(
      (model) => !this.#usage.isPriced(model),
    );
    if (unknown === undefined) return undefined;
    const text =
      `maxBudgetUsd cannot be enforced: the price of the model "${unknown}" is not known. ` +
      `Give it with embedded({ prices: { '${unknown}': { input, output } } }), in dollars per million tokens, or leave maxBudgetUsd out.`;
    return { subtype: 'error_during_execution', terminalReason: undefined, text };
  }
}
