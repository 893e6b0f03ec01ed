import { hanging } from '../terminal/harmless.js';
import type { Palette } from '../terminal/palette.js';

/** One line of the doctor's report. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'error';
  message: string;
  /** Present unless the state is ok. */
  remedy?: string;
  /** For scripts. */
  details?: Record<string, unknown>;
}

const MARKS = { ok: '✓', warning: '!', error: '✗' } as const;

export function findingLines({ state, message, remedy }: Finding, paint: Palette): string[] {
  const colour = { ok: paint.green, warning: paint.yellow, error: paint.red }[state];
  return [
    `${colour(MARKS[state])} ${hanging(message)}`,
    ...(remedy === undefined ? [] : remedy.split('\n').map((line) => `  ${paint.dim('→')} ${line}`)),
  ];
}
