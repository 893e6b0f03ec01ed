import type { SDKResultMessage } from '../protocol/messages/index.js';
import type { TransportEnd } from '../protocol/transport.js';
import { type FailureContext, processFailure } from './launch/process-failure.js';
import { isSuccess, ResultError } from './results.js';

export interface EndFacts {
  lastResult: SDKResultMessage | undefined;
  /** Something was asked or begun after the last result. */
  awaitingResult: boolean;
  messagesSent: number;
  throwOnErrorResult: boolean;
  context: FailureContext;
}

/**
 * What the loop throws when the agent has left by itself. After a success: nothing, however it left. After a
 * failure: that. When an answer is still owed: why it will not come.
 */
export function errorAtEnd(end: TransportEnd, facts: EndFacts): Error | undefined {
  const { lastResult, awaitingResult, messagesSent, throwOnErrorResult, context } = facts;
  if (lastResult !== undefined && !awaitingResult) {
    return isSuccess(lastResult) || !throwOnErrorResult ? undefined : new ResultError(lastResult);
  }
  const nothingAsked = messagesSent === 0 && end.error === undefined && end.code === 0;
  return nothingAsked ? undefined : processFailure(end, context);
}
