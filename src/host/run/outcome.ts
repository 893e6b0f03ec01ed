import { isSuccess } from '../../client/query/results.js';
import type { SDKResultMessage } from '../../protocol/wire/messages/index.js';
import type { PromptOutcome } from '../host-messages.js';
import { LeaseLostError } from '../storage/errors.js';
import type { Lease } from '../storage/port/conversation.js';

export interface EndedTurn {
  readonly lease: Lease;
  /** Why what the agent has done is not stored, if it is not. */
  readonly failure: unknown;
  readonly isInterrupted: boolean;
}

/** What has become of a prompt. Throws if the turn is not stored: then its result does not count, and somebody goes on. */
export function outcomeOf(
  result: SDKResultMessage,
  { lease, failure, isInterrupted }: EndedTurn,
): PromptOutcome {
  if (result.failure?.kind === 'session_conflict') throw new LeaseLostError(lease);
  if (failure !== undefined) throw failure;
  if (isInterrupted) return 'interrupted';
  return isSuccess(result) ? 'answered' : 'failed';
}
