import type { SDKResultMessage } from '../protocol/messages/index.js';
import type { TransportEnd } from '../protocol/transport.js';
import { type FailureContext, processFailure } from './launch/process-failure.js';
import { isSuccess, ResultError } from './results.js';

export interface EndFacts {
  lastResult: SDKResultMessage | undefined;
  /** Something was asked or begun that has no result yet. */
  owesResult: boolean;
  /** The user's stream had not ended: more was to be asked. */
  inputOpen: boolean;
  messagesSent: number;
  throwOnErrorResult: boolean;
  context: FailureContext;
}

/** How a CLI that handles SIGTERM reports it. */
const EXIT_BY_SIGTERM = 143;

/**
 * What the loop throws when the agent has left by itself. After a success: nothing, however it left. After a
 * failure: that. When an answer is still owed, or was still to be asked for: why it will not come.
 */
export function errorAtEnd(end: TransportEnd, facts: EndFacts): Error | undefined {
  const { lastResult, owesResult, inputOpen, messagesSent, throwOnErrorResult, context } = facts;
  const cutOff = owesResult || (inputOpen && end.code !== 0);
  if (lastResult !== undefined && throwOnErrorResult && !owesResult && !isSuccess(lastResult)) {
    return new ResultError(lastResult);
  }
  if (lastResult !== undefined && !cutOff) return undefined;
  // With the input at its end and nothing asked, the signal was ours: the CLI was slower to start than its grace.
  const toldToGo = !inputOpen && (end.signal !== null || end.code === EXIT_BY_SIGTERM);
  const nothingAsked = messagesSent === 0 && end.error === undefined && (end.code === 0 || toldToGo);
  return nothingAsked ? undefined : processFailure(end, context);
}
