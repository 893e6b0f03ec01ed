import { TenonError } from '../../protocol/base/errors.js';

/** What was asked for cannot be searched for: a pattern, a glob or a type that makes no sense. */
export function badPattern(words: string): TenonError {
  return new TenonError('SEARCH_FAILED', words);
}

export const NEEDS_MULTILINE =
  'The pattern contains a line break, and lines are searched one by one: set "multiline" to true.';
