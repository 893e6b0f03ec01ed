import type { MessageFrame } from '../protocol/frames.js';
import type { StructuredOutput } from './tools/structured-output.js';
import type { TurnOutcome } from './turn-outcome.js';
import type { UsageLedger } from './usage.js';

export interface ResultFacts {
  durationMs: number;
  usage: UsageLedger;
  denials: object[];
  structured: StructuredOutput | undefined;
  index: number;
  queued: number;
  /** Which messages it answers. */
  answered: object;
}

/** The line that ends a turn. An error has `errors` and no `result`, as in the CLI. */
export function resultLine(outcome: TurnOutcome, facts: ResultFacts): MessageFrame {
  const { subtype, isError, terminalReason, text, stopReason, numTurns, apiErrorStatus, apiErrorType } =
    outcome;
  const { usage, structured } = facts;
  return {
    type: 'result',
    subtype,
    is_error: isError,
    ...(subtype === 'success'
      ? // Where the model was not asked there is nothing to say of its API.
        { result: text, ...(numTurns === 0 ? {} : { api_error_status: apiErrorStatus ?? null }) }
      : { errors: [text] }),
    ...(apiErrorType === undefined ? {} : { api_error_type: apiErrorType }),
    num_turns: numTurns,
    duration_ms: Math.round(facts.durationMs),
    duration_api_ms: Math.round(facts.durationMs),
    stop_reason: stopReason,
    ...(terminalReason === undefined ? {} : { terminal_reason: terminalReason }),
    total_cost_usd: usage.totalCostUsd(),
    usage: usage.turnUsage(),
    modelUsage: usage.modelUsage(),
    permission_denials: facts.denials,
    ...(outcome.deferredToolUse === undefined ? {} : { deferred_tool_use: outcome.deferredToolUse }),
    ...(structured?.isGiven ? { structured_output: structured.value } : {}),
    result_index: facts.index,
    queued_turn_count: facts.queued,
    ...facts.answered,
  };
}
