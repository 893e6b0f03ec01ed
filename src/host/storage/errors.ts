import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { Lease, SessionRef } from './port/conversation.js';

/** Somebody else has the conversation now, or nobody: this worker may no longer write to it. */
export class LeaseLostError extends TenonError {
  static override readonly className = 'LeaseLostError';
  readonly lease: Lease;

  constructor(lease: Lease) {
    super(
      'LEASE_LOST',
      `The worker "${lease.owner}" no longer holds the conversation ${nameOf(lease)} (its fence ${lease.fence} is stale): ` +
        'nothing was written. Stop working on it; whoever has it now goes on from what is stored.',
    );
    this.lease = lease;
  }
}

/** There is too much in the inboxes. */
export class QueueFullError extends TenonError {
  static override readonly className = 'QueueFullError';
  /** Which limit was reached. */
  readonly of: 'all' | 'tenant' | 'session';
  readonly limit: number;
  /** After so many milliseconds there may be room: an estimate. */
  readonly retryAfterMs: number;

  constructor(
    ref: SessionRef,
    of: 'all' | 'tenant' | 'session',
    limit: number,
    retryAfterMs: number = LIMITS.hostRetryAfterMs,
  ) {
    const whose = {
      all: '',
      tenant: ` of the tenant "${ref.tenant}"`,
      session: ` of the conversation ${nameOf(ref)}`,
    };
    super(
      'QUEUE_FULL',
      `The message was not taken: ${limit} prompts${whose[of]} are waiting already, which is the limit. Send it again later.`,
    );
    this.of = of;
    this.limit = limit;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The storage cannot be reached, or answered with an error of its own. Whether the call has had an effect is unknown. */
export class StorageError extends TenonError {
  static override readonly className = 'StorageError';
  /** The connection was lost, or the database is starting or stopping: it may work again soon. */
  readonly isTransient: boolean;

  constructor(message: string, options: { isTransient: boolean; cause?: unknown }) {
    super('STORAGE_FAILED', message, { cause: options.cause });
    this.isTransient = options.isTransient;
  }
}

export function closedError(): TenonError {
  return new TenonError('CLOSED', 'The storage of the host is closed.');
}

export function heldError(ref: SessionRef, owner: string): TenonError {
  return new TenonError(
    'LEASE_HELD',
    `The conversation ${nameOf(ref)} is held by "${owner}". Interrupt it, and try again when it is idle.`,
  );
}

/** A wake is the caller's code; its failure is no failure of the storage. */
export function wakeError(ref: SessionRef, error: unknown): TenonError {
  return new TenonError(
    'WAKE_FAILED',
    `The conversation ${nameOf(ref)} could not be woken, and nothing was stored: ${messageOf(error)}`,
    { cause: error },
  );
}

function nameOf({ tenant, session }: SessionRef): string {
  return `"${session}" of "${tenant}"`;
}
