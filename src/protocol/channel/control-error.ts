import { ControlError } from '../base/errors.js';
import type { ControlFailure } from '../wire/frames.js';

/** The error for a request whose answer is not a success; the answer is as the other side wrote it. */
export function controlErrorOf(
  subtype: string,
  { subtype: kind, error, error_code }: { readonly [Name in keyof ControlFailure]?: unknown },
): ControlError {
  const fallback =
    kind === 'error'
      ? `The agent refused the control request "${subtype}".`
      : `The answer to the control request "${subtype}" is neither a success nor an error.`;
  const code = typeof error_code === 'string' ? error_code : undefined;
  return new ControlError(subtype, typeof error === 'string' ? error : fallback, code);
}
