// `tenon/workspace` where there is no Node: the same names, without a disk and without commands. Types are those of
// index.ts.

import { TenonError } from '../protocol/base/errors.js';

export { memoryWorkspace } from './adapters/memory.js';
export { searchFiles } from './search/search-files.js';

export function localWorkspace(): never {
  throw absent('localWorkspace');
}

export function sandboxed(): never {
  throw absent('sandboxed');
}

function absent(name: string): TenonError {
  return new TenonError(
    'NOT_SUPPORTED',
    `${name}() needs Node: there are no files and no processes here. Use memoryWorkspace(), or a Workspace of your own.`,
  );
}
