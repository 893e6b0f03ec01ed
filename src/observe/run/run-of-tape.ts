import type { Tape } from '../tape-format.js';
import { Run } from './run.js';

/** The run that a tape has recorded. A tape without an end is torn. */
export function runOfTape(tape: Pick<Tape, 'head' | 'lines'>): Run {
  const run = new Run(tape.head);
  for (const line of tape.lines) run.add(line);
  run.close();
  return run;
}
