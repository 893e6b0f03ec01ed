import { TenonError } from '../protocol/base/errors.js';
import type { SessionAppendOptions, SessionKey, SessionStoreEntry } from '../protocol/wire/session-store.js';

/** A store throws it from `append()`: somebody else has written to the conversation since it was loaded. */
export class SessionConflictError extends TenonError {
  static override readonly className = 'SessionConflictError';
  readonly key: SessionKey;

  constructor(key: SessionKey) {
    super(
      'SESSION_CONFLICT',
      `The conversation ${key.sessionId} has another writer, who was faster: this turn is not stored. ` +
        'Resume it to go on from what is stored, or resume it with `forkSession` to have a branch of your own.',
    );
    this.key = key;
  }
}

/** Also for an error of another copy of the package. */
export function isConflict(error: unknown): error is SessionConflictError {
  return TenonError.is(error) && error.code === 'SESSION_CONFLICT';
}

/**
 * The id of the last entry that belongs to the conversation itself, which is what `after` is compared with.
 * Titles, tags and notes do not: they have no `parentUuid`.
 */
export function lastEntryId(entries: readonly SessionStoreEntry[]): string | undefined {
  return entries.findLast(({ uuid, parentUuid }) => uuid !== undefined && parentUuid !== undefined)?.uuid;
}

/** Throws if `entries` do not follow `last`, the id of the last entry that the store has. */
export function checkFollows(
  key: SessionKey,
  last: string | undefined,
  entries: readonly SessionStoreEntry[],
  { after }: SessionAppendOptions = {},
): void {
  if (after === undefined || after === (last ?? null)) return;
  // Sent again after a failure: the store has them already.
  if (last !== undefined && entries.some(({ uuid }) => uuid === last)) return;
  throw new SessionConflictError(key);
}
