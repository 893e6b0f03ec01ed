import type { SDKPermissionDenial } from '../../protocol/wire/messages/index.js';
import { RUNTIME_CAPABILITIES, RUNTIME_VERSION } from '../start/runtime-config.js';
import type { StructuredOutput } from '../tools/structured-output.js';
import type { TurnOutcome } from '../turn/turn-record.js';
import type { UsageLedger } from '../turn/usage.js';
import type { AgentConversation } from './conversation.js';
import type { AnsweredFields, ResultLine, SystemLines } from './written-lines.js';

/** What the first line of a turn tells the host about the agent. */
export function initFields(
  { tools, model, permissions }: AgentConversation,
  cwd: string,
): SystemLines['init'] {
  return {
    cwd,
    tools: tools.all().map(({ name }) => name),
    mcp_servers: tools.hub
      .status()
      .map(({ name, status, source }) => ({ name, status, ...(source === undefined ? {} : { source }) })),
    model: model.fullName,
    permissionMode: permissions.mode,
    slash_commands: [],
    apiKeySource: 'none',
    claude_code_version: RUNTIME_VERSION,
    output_style: 'default',
    agents: [],
    skills: [],
    plugins: [],
    capabilities: [...RUNTIME_CAPABILITIES],
  };
}

export interface ResultFacts {
  durationMs: number;
  usage: UsageLedger;
  denials: SDKPermissionDenial[];
  structured: StructuredOutput | undefined;
  index: number;
  queued: number;
  /** Which messages it answers. */
  answered: AnsweredFields;
}

/** The line that ends a turn. An error has `errors` and no `result`, as in the CLI. */
export function resultLine(outcome: TurnOutcome, facts: ResultFacts): ResultLine {
  const { subtype, isError, terminalReason, text, stopReason, numTurns, apiErrorStatus, apiErrorType } =
    outcome;
  const { usage, structured } = facts;
  const common = {
    type: 'result' as const,
    is_error: isError,
    ...(apiErrorType === undefined ? {} : { api_error_type: apiErrorType }),
    num_turns: numTurns,
    duration_ms: Math.round(facts.durationMs),
    // Like the cost, of the whole conversation.
    duration_api_ms: Math.round(usage.apiMs),
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
  if (subtype !== 'success') return { ...common, subtype, errors: [text] };
  // If the model was not asked, there is no API status.
  const status = numTurns === 0 ? {} : { api_error_status: apiErrorStatus ?? null };
  return { ...common, subtype, result: text, ...status };
}
