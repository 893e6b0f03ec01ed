import { messageOf, TenonError } from '../../protocol/base/errors.js';
import type { MessageParam, ToolUseBlock, UserContentBlock } from '../../protocol/wire/content.js';
import type {
  SDKAssistantMessageError,
  SDKDeferredToolUse,
  SDKResultError,
  SDKResultMessage,
  TerminalReason,
} from '../../protocol/wire/messages/index.js';
import { isOverflow } from '../context/overflow.js';
import type { Lines } from '../conversation/lines.js';
import type { HookVerdict } from '../hooks/hook-runner.js';
import { ModelError } from '../model.js';
import type { StructuredOutput } from '../tools/structured-output.js';
import type { TurnUsage } from './usage.js';

/** Why a turn is aborted: the conversation ends, and nobody meant the turn. */
export class ClosedError extends Error {}

/** How a turn ended. */
export interface TurnOutcome {
  subtype: SDKResultMessage['subtype'];
  isError: boolean;
  terminalReason: TerminalReason | undefined;
  /** For a success, the final text; for an error, the reason. */
  text: string;
  stopReason: string | null;
  numTurns: number;
  apiErrorStatus?: number | undefined;
  apiErrorType?: string | undefined;
  /** The command that was run instead of a turn. */
  localCommand?: string | undefined;
  /** The call that a hook has deferred. */
  deferredToolUse?: SDKDeferredToolUse | undefined;
}

/** A turn in which the model was not asked. */
export function emptyTurn(text: string): TurnOutcome {
  return {
    subtype: 'success',
    isError: false,
    terminalReason: undefined,
    text,
    stopReason: null,
    numTurns: 0,
  };
}

/** An internal error. */
export function brokenTurn(text: string): TurnOutcome {
  return failedTurn(emptyTurn(''), text);
}

/** A turn that has run, and then failed as a whole. */
export function failedTurn({ stopReason, numTurns }: TurnOutcome, text: string): TurnOutcome {
  return { ...emptyTurn(text), subtype: 'error_during_execution', isError: true, stopReason, numTurns };
}

interface TurnRecordDependencies {
  lines: Lines;
  /** Adds a message to the transcript; `lines` are the ids of the lines that showed it. */
  remember(message: MessageParam, lines?: readonly string[]): void;
}

/** What a turn has shown and remembered, and the ways in which it ends. */
export class TurnRecord {
  /** Results and messages sent in the user's name: `num_turns` counts them. */
  userLines = 0;
  stopReason: string | null = null;
  /** The ids of the lines of the current answer, and then of its results. */
  shown: string[] = [];
  readonly #dependencies: TurnRecordDependencies;

  constructor(dependencies: TurnRecordDependencies) {
    this.#dependencies = dependencies;
  }

  takeShown(): string[] {
    const shown = this.shown;
    this.shown = [];
    return shown;
  }

  modelFailed(error: unknown): TurnOutcome {
    if (isOwnProblem(error)) return this.broken(messageOf(error));
    const { status, type } = error instanceof ModelError ? error : {};
    const text = status === undefined ? messageOf(error) : `API Error: ${status} ${messageOf(error)}`;
    const stopReason = this.#dependencies.lines.synthetic(text, {
      error: errorKindOf(status),
      is_api_error_message: true,
      api_error_status: status ?? null,
      ...(type === undefined ? {} : { api_error_type: type }),
    });
    const outcome = this.finished(text, isOverflow(error) ? 'prompt_too_long' : 'api_error');
    return { ...outcome, isError: true, stopReason, apiErrorStatus: status, apiErrorType: type };
  }

  interrupted(blocks: UserContentBlock[]): TurnOutcome {
    const content = [{ type: 'text' as const, text: '[Request interrupted by user for tool use]' }];
    this.shown.push(this.#dependencies.lines.user(content));
    this.userLines += 1;
    this.#dependencies.remember({ role: 'user', content: [...blocks, ...content] }, this.takeShown());
    return this.failed('error_during_execution', 'aborted_tools', 'The turn was interrupted.');
  }

  /** Nothing is remembered: the calls have no results yet. */
  leftOpen(): TurnOutcome {
    return this.failed('error_during_execution', 'aborted_tools', 'The conversation was closed.');
  }

  /** While no calls ran. */
  stopped(isLeftOpen: boolean): TurnOutcome {
    if (isLeftOpen) return this.leftOpen();
    const content = [{ type: 'text' as const, text: '[Request interrupted by user]' }];
    this.#dependencies.remember({ role: 'user', content }, [this.#dependencies.lines.user(content)]);
    this.userLines += 1;
    return this.failed('error_during_execution', 'aborted_streaming', 'The turn was interrupted.');
  }

  finished(text: string, terminalReason: TerminalReason): TurnOutcome {
    return { ...this.#base(), subtype: 'success', isError: false, terminalReason, text };
  }

  /** As the hooks at the end of the turn have decided. */
  ended(text: string, { stop }: Pick<HookVerdict, 'stop'>): TurnOutcome {
    return this.finished(text, stop === undefined ? 'completed' : 'stop_hook_prevented');
  }

  deferred({ id, name, input }: ToolUseBlock): TurnOutcome {
    return {
      ...this.finished('', 'tool_deferred'),
      stopReason: 'tool_deferred',
      deferredToolUse: { id, name, input: input as SDKDeferredToolUse['input'] },
    };
  }

  broken(text: string): TurnOutcome {
    return this.failed('error_during_execution', undefined, text);
  }

  failed(
    subtype: SDKResultError['subtype'],
    terminalReason: TerminalReason | undefined,
    text: string,
  ): TurnOutcome {
    return { ...this.#base(), subtype, isError: true, terminalReason, text };
  }

  #base(): Pick<TurnOutcome, 'stopReason' | 'numTurns'> {
    return { stopReason: this.stopReason, numTurns: this.userLines + 1 };
  }
}

/** No API has said that: the model cannot be used as it was given, or what it said cannot be recorded. */
function isOwnProblem(error: unknown): boolean {
  return error instanceof TenonError && ['INVALID_OPTION', 'SESSION_STORE_FAILED'].includes(error.code);
}

/** The value of the `error` field for a status of the model's API. */
function errorKindOf(status: number | undefined): SDKAssistantMessageError {
  if (status === 401 || status === 403) return 'authentication_failed';
  if (status === 429) return 'rate_limit';
  if (status === 400) return 'invalid_request';
  if (status === 529) return 'overloaded';
  return status !== undefined && status >= 500 ? 'server_error' : 'unknown';
}

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
  readonly #usage: TurnUsage;
  readonly #structured: StructuredOutput | undefined;

  constructor(settings: LimitSettings, usage: TurnUsage, structured: StructuredOutput | undefined) {
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

  /** A budget needs the price before the request that it is to bound. */
  async learnPrice(): Promise<void> {
    if (this.#settings.maxBudgetUsd !== undefined) await this.#usage.learn(this.#settings.model());
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
    if (maxBudgetUsd === undefined || this.#usage.spentUsd() < maxBudgetUsd) return undefined;
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
      `Give it with embedded({ prices: { '${unknown}': { input, output } } }), in dollars per million tokens, install the package @pydantic/genai-prices if it knows the model, or leave maxBudgetUsd out.`;
    return { subtype: 'error_during_execution', terminalReason: undefined, text };
  }
}
