import { clock, type Timer } from '../../../protocol/base/clock.js';
import { messageOf, TenonError } from '../../../protocol/base/errors.js';
import { LIMITS } from '../../../protocol/base/limits.js';
import { StorageError } from '../errors.js';

/**
 * States of a server that pass: the connection is lost (08), it is starting or stopping (57P0…), has no place (53…), or two
 * transactions were in each other's way (40…, 55P03).
 */
const TRANSIENT = /^(?:08|40|53|57P0)|^55P03$/;
const SQL_STATE = /^[0-9A-Z]{5}$/;

/** Our own errors pass as they are. */
export function storageError(error: unknown): TenonError {
  if (TenonError.is(error)) return error;
  const state = sqlState(error);
  const { code } = error as { code?: unknown };
  // Node's error for a server that is not there has no text of its own, only a code.
  const text = error instanceof Error && error.message !== '' ? error.message : (code ?? messageOf(error));
  return new StorageError(
    `The database of the host has failed: ${text}${state === undefined ? '' : ` (SQLSTATE ${state})`}${remedy(state)}`,
    {
      isTransient: state === undefined || TRANSIENT.test(state),
      cause: error,
    },
  );
}

/** A statement that is prepared on another connection than it is used on. */
function remedy(state: string | undefined): string {
  if (state !== '26000' && state !== '42P05') return '';
  return '. Behind a pooler that gives every transaction another connection, use `postgresStorage({ prepare: false })`.';
}

/** Undefined if the error is not an answer of the database, but one of the way to it. */
export function sqlState(error: unknown): string | undefined {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' && SQL_STATE.test(code) && !code.startsWith('E') ? code : undefined;
}

/** Rejects when `work` has taken too long, with `onLate` called first. */
export async function bounded<Result>(work: Promise<Result>, onLate: () => void): Promise<Result> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => {
      onLate();
      const seconds = LIMITS.storeCallMs / 1_000;
      reject(
        new StorageError(`The database of the host did not answer within ${seconds} s.`, {
          isTransient: true,
        }),
      );
    }, LIMITS.storeCallMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clock.clearTimeout(timer);
  }
}
