import { messageOf, TenonError } from '../../protocol/base/errors.js';
import type {
  ResultFailure,
  ResultFailureKind,
  SDKResultMessage,
} from '../../protocol/wire/messages/index.js';

/** Thrown after an error result has been delivered. It carries the result. */
export class ResultError extends TenonError {
  static override readonly className = 'ResultError';
  readonly result: SDKResultMessage;
  readonly failure: ResultFailure;

  /** `agent` is what the message names. */
  constructor(result: SDKResultMessage, agent = 'Claude Code') {
    const failure = result.failure ?? failureOf(result) ?? UNKNOWN;
    super('RESULT_ERROR', `${agent} returned an error result: ${failure.message}`);
    this.result = result;
    this.failure = failure;
  }
}

/**
 * True only for a real success: an API failure comes as `subtype: "success"` with `is_error`, and an answer
 * without the structure that was asked for as a success of the CLI, with our `failure`.
 */
export function isSuccess(result: SDKResultMessage): boolean {
  return saysSuccess(result) && result.failure === undefined;
}

/** Whether the agent itself calls it a success. */
export function saysSuccess(result: SDKResultMessage): boolean {
  return result.subtype === 'success' && !result.is_error;
}

const UNKNOWN: ResultFailure = { kind: 'unknown', retryable: false, message: 'unknown error' };

const BY_SUBTYPE: ReadonlyMap<string, ResultFailureKind> = new Map([
  ['error_max_turns', 'max_turns'],
  ['error_max_budget_usd', 'max_budget'],
  ['error_max_structured_output_retries', 'structured_output'],
  ['error_during_execution', 'execution'],
]);

const BY_STATUS: Record<number, ResultFailureKind> = {
  400: 'invalid_request',
  401: 'authentication',
  402: 'billing',
  403: 'permission',
  404: 'model_not_found',
  413: 'invalid_request',
  429: 'rate_limit',
  529: 'overloaded',
};

const RETRYABLE: ReadonlySet<ResultFailureKind> = new Set(['rate_limit', 'overloaded', 'server_error']);

/** What went wrong, in a form that programs can act on; undefined for a real success. */
export function failureOf(
  result: SDKResultMessage,
  resetsAt?: number,
  interrupted = false,
): ResultFailure | undefined {
  if (saysSuccess(result)) return undefined;
  // Up to 2.1.50 an interrupted turn lacks `is_error`; only its subtype marks it as an error.
  const given: unknown = 'api_error_status' in result ? result.api_error_status : undefined;
  const status = typeof given === 'number' ? given : undefined;
  const kind =
    result.subtype === 'success' ? kindOfApiError(status, textOf(result)) : kindOfError(result, interrupted);
  return {
    kind,
    retryable: RETRYABLE.has(kind),
    message: textOf(result),
    ...(status === undefined ? {} : { status }),
    ...(resetsAt === undefined ? {} : { resetsAt }),
  };
}

function kindOfError(
  result: SDKResultMessage & { subtype: string },
  interrupted: boolean,
): ResultFailureKind {
  const text = textOf(result);
  if (/No conversation found with session ID/i.test(text)) return 'session_not_found';
  if (/^The conversation \S+ has another writer/.test(text)) return 'session_conflict';
  if (/^anthropic\(\) has no key/.test(text)) return 'authentication';
  if (isText(result.terminal_reason) && result.terminal_reason.startsWith('aborted')) return 'interrupted';
  // Versions before 2.1.100 give no reason.
  if (interrupted && result.terminal_reason === undefined) return 'interrupted';
  return (isText(result.subtype) ? BY_SUBTYPE.get(result.subtype) : undefined) ?? 'unknown';
}

/** The CLI's own phrases. Versions before 2.1.140 give nothing else. */
const BY_PHRASE: readonly [phrase: RegExp, kind: ResultFailureKind][] = [
  [/^Invalid API key/i, 'authentication'],
  [/^Credit balance is too low/i, 'billing'],
  [/^Prompt is too long/i, 'invalid_request'],
  [/issue with the selected model/i, 'model_not_found'],
];

/** Versions before 2.1.140 give no status; most of their texts begin with `API Error: 401 …`. */
function kindOfApiError(status: number | undefined, text: string): ResultFailureKind {
  const known = BY_PHRASE.find(([phrase]) => phrase.test(text));
  if (known !== undefined) return known[1];
  const code = status ?? Number(/API Error: (\d{3})/.exec(text)?.[1] ?? Number.NaN);
  if (code >= 500) return BY_STATUS[code] ?? 'server_error';
  return BY_STATUS[code] ?? 'unknown';
}

/** The agent may have written anything, of whatever type. */
function textOf(result: SDKResultMessage): string {
  const { subtype } = result;
  if (subtype === 'success') return isText(result.result) ? result.result : '';
  const errors: unknown = result.errors;
  if (isText(errors)) return errors;
  // Joined the way the official SDK does it, because programs match its message.
  const texts = Array.isArray(errors)
    ? errors.map((error) => (isText(error) ? error : messageOf(error)))
    : [];
  return texts.join('; ') || (isText(subtype) ? subtype : UNKNOWN.message);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
