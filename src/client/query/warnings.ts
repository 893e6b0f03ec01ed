import type { Warn } from '../../options/normalise.js';
import type { Options } from '../../options/options.js';
import { emitWarning } from '../../protocol/base/host-process.js';

const emitted = new Set<string>();

/**
 * Reports problems that do not prevent the query: to `stderr` if given, otherwise once per process as a
 * warning.
 */
export function warningsTo({ stderr }: Pick<Options, 'stderr'>, code: `TENON_${string}`): Warn {
  return (text) => {
    if (typeof stderr === 'function') tell(stderr, `tenon: ${text}\n`);
    else if (!emitted.has(text)) {
      emitted.add(text);
      emitWarning(text, { type: 'TenonWarning', code });
    }
  };
}

/** A callback that throws must not end a query that has not started. */
function tell(stderr: (text: string) => void, text: string): void {
  try {
    stderr(text);
  } catch {}
}
