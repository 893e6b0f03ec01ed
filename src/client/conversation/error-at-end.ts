import type { TransportEnd } from '../../protocol/transport/transport.js';
import type { SDKResultMessage } from '../../protocol/wire/messages/index.js';
import { type FailureContext, processFailure } from '../launch/process-failure.js';
import { ResultError, saysSuccess } from '../query/results.js';

export interface EndFacts {
  lastResult: SDKResultMessage | undefined;
  /** A message was sent, or a turn began, that has no result yet. */
  owesResult: boolean;
  /** The user's stream had not ended: more input was to come. */
  inputOpen: boolean;
  messagesSent: number;
  throwOnErrorResult: boolean;
  context: FailureContext;
}

/** The exit code of a CLI that handled SIGTERM. */
const EXIT_BY_SIGTERM = 143;

/**
 * What the loop throws when the agent has exited by itself. After a success: nothing, however it exited.
 * After a failed result: that failure. If a result is missing, or more input was to come: why the agent
 * ended.
 */
export function errorAtEnd(end: TransportEnd, facts: EndFacts): Error | undefined {
  const { lastResult, owesResult, inputOpen, messagesSent, throwOnErrorResult, context } = facts;
  const cutOff = owesResult || (inputOpen && end.code !== 0);
  if (lastResult !== undefined && throwOnErrorResult && !owesResult && !saysSuccess(lastResult)) {
    return new ResultError(lastResult, context.agent);
  }
  if (lastResult !== undefined && !cutOff) return undefined;
  // If the input ended and nothing was sent, the signal was ours: the CLI took longer to start than its grace
  // period.
  const endedByUs = !inputOpen && (end.signal !== null || end.code === EXIT_BY_SIGTERM);
  const nothingSent = messagesSent === 0 && end.error === undefined && (end.code === 0 || endedByUs);
  return nothingSent ? undefined : processFailure(end, context);
}
