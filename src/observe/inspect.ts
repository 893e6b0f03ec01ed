// `tenon/inspect`: watches the conversations of a program that is not changed for it, by
// NODE_OPTIONS="--import tenon/inspect". TENON_RECORD says where they are recorded.

import { hostVariable } from '../protocol/base/host-process.js';
import { recordAll } from './record-all.js';

const path = hostVariable('TENON_RECORD');

if (path === undefined || path === '') {
  process.stderr.write(
    'tenon/inspect: nothing is recorded. Set TENON_RECORD to a file, or to a directory for a program with several conversations.\n',
  );
} else {
  recordAll(path, (text) => process.stderr.write(`tenon/inspect: ${text}\n`));
}
