import { REDACTED } from '../../protocol/base/secret-values.js';
import { beginningOfCut } from '../cut-frame.js';

/** Whether a recorded value is the one of now, as far as it was recorded: secrets and the rest of long texts were not. */
export function sameAsRecorded(recorded: unknown, now: unknown): boolean {
  if (Object.is(recorded, now)) return true;
  if (typeof recorded !== 'string') return false;
  if (recorded === REDACTED) return now !== undefined;
  if (typeof now !== 'string') return false;
  const beginning = beginningOfCut(recorded);
  if (beginning !== undefined) return matches(beginning, now, false);
  return recorded.includes(REDACTED) && matches(recorded, now, true);
}

/** `isWhole`: nothing may follow. */
function matches(recorded: string, now: string, isWhole: boolean): boolean {
  const [first = '', ...others] = recorded.split(REDACTED);
  if (!now.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of others.entries()) {
    const isLast = isWhole && index === others.length - 1;
    const found = isLast && part === '' ? now.length : isLast ? now.lastIndexOf(part) : now.indexOf(part, at);
    if (found < at) return false;
    at = found + part.length;
  }
  return !isWhole || at === now.length;
}
