import { TenonError } from '../../protocol/base/errors.js';

/**
 * For an entry of the official SDK that Tenon does not have: whoever imports it reads what it is for and what to do,
 * instead of "not exported". The entry exports its names as `never`, since an import of a missing name would fail before
 * this is called, and since a program that uses one should not compile.
 */
export function refuse(entry: string, purpose: string, remedy: string): never {
  throw new TenonError('NOT_SUPPORTED', `The entry "${entry}" is not part of Tenon: ${purpose} ${remedy}`);
}
