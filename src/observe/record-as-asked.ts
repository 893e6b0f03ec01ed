import { hostVariable } from '../protocol/base/host-process.js';
import { recordAll } from './record-all.js';

/** How `tenon/inspect` is loaded before a program: by its name, or by its place in the package. */
const IMPORTED = /--(?:import|require)[= ]["']?\S*(?:tenon\/inspect|inspector\/index\.js)(?![\w/])/;

/** Records the conversations of a program that is not changed for it, where TENON_RECORD says. */
export function recordAsAsked(): void {
  const path = hostVariable('TENON_RECORD');
  if (path !== undefined && path !== '') {
    recordAll(path, (text) => process.stderr.write(`tenon/inspect: ${text}\n`));
    return;
  }
  // A program that imports it for its functions does not want to be told about variables.
  if (!IMPORTED.test([...process.execArgv, hostVariable('NODE_OPTIONS') ?? ''].join(' '))) return;
  process.stderr.write(
    'tenon/inspect: nothing is recorded. Set TENON_RECORD to a file, or to a directory for a program with several conversations.\n',
  );
}
