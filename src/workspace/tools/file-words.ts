// What the model is told about files that cannot be used as it wants.

import { LIMITS } from '../../protocol/base/limits.js';
import type { TextFile } from '../files/text-file.js';

const DAMAGE = {
  nul: 'it has NUL bytes near its beginning, so it is binary, or text in an encoding that it does not name',
  invalid: 'it is not valid UTF-8, so it is binary, or text in an older encoding',
} as const;

export const WORDS = {
  missing: (root: string) =>
    `There is no file at this path. Relative paths start from the working directory, ${root}.`,
  directory: (path: string) => `${path || 'The working directory'} is a directory. Give the path of a file.`,
  special: (path: string) => `${path} is not a regular file: devices, pipes and sockets are left alone.`,
  tooLarge: (bytes: number) =>
    `The file has ${megabytes(bytes)}, more than the ${megabytes(LIMITS.maxFileBytes)} that this tool takes. Search it, or use a command.`,
  notRead: 'The file was not read in this conversation. Read it first, then change it.',
  changed: 'The file has changed since it was read. Read it again, then change it.',
  cannotWrite: (damage: NonNullable<TextFile['damage']>) =>
    `Nothing was written: ${DAMAGE[damage]}. Change it with a command that knows its encoding, or remove it first if all of it shall be replaced.`,
  readAnyway: (damage: NonNullable<TextFile['damage']>) =>
    `[Not all of this is what the file contains: ${DAMAGE[damage]}. Edit and Write will not change it.]`,
  notebook: 'This is a Jupyter notebook. Change its cells with NotebookEdit.',
  notNotebook: 'NotebookEdit changes Jupyter notebooks (.ipynb). Use Edit for other files.',
} as const;

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / (1024 * 1024))} MB`;
}
