import { lstat, mkdir, open, readdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing, linkRefused } from './file-errors.js';
import type { FileAccess } from './files.js';
import { addIn, contentOf, PRIVATE, removeIn, replaceIn, statOf } from './whole-files.js';

/**
 * Files where a descriptor does not tell its path: looked at before and after. Between the two a program of the same
 * user could still exchange a directory for a link.
 */
export const checkedFiles: FileAccess = {
  stat: (path) => checked(path, async () => statOf(await lstat(path))),
  read: (path, options) =>
    checked(path, async () => {
      const file = await open(path, 'r');
      try {
        return await contentOf(file, path, options);
      } finally {
        await file.close();
      }
    }),
  write: async (path, content) => {
    await makeDirectory(dirname(path));
    await checked(dirname(path), () => replaceIn(dirname(path), path, content));
  },
  append: async (path, content) => {
    await makeDirectory(dirname(path), PRIVATE);
    await checked(dirname(path), () => addIn(dirname(path), path, content));
  },
  remove: (path) => checked(dirname(path), () => removeIn(dirname(path), path)),
  list: (path) => checked(path, () => readdir(path, { withFileTypes: true })),
  hold: (path) => checked(path, async () => ({ path, release: async () => {} })),
};

async function checked<Value>(path: string, use: () => Promise<Value>): Promise<Value> {
  await refuseLinks(path);
  const value = await use();
  await refuseLinks(path);
  return value;
}

async function refuseLinks(path: string): Promise<void> {
  if ((await realpath(path)) !== path || (await lstat(path)).isSymbolicLink()) throw linkRefused(path);
}

async function makeDirectory(path: string, mode?: number): Promise<void> {
  try {
    await refuseLinks(path);
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    await makeDirectory(dirname(path), mode);
    await mkdir(path, mode).catch(() => {});
    await refuseLinks(path);
  }
}
