import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { LIMITS } from '../../protocol/base/limits.js';
import { isMissing, linkRefused, systemCode } from './file-errors.js';
import type { FileAccess } from './files.js';
import { addIn, contentOf, PRIVATE, removeIn, replaceIn, statOf } from './whole-files.js';

/** Linux: a descriptor that only names a file. Node has no constant for it. */
const O_PATH = 0o10000000;
const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK } = constants;

/**
 * Files on Linux, without a gap between the check and the use. Something is opened first; then the kernel tells the
 * path under which it was found, which is another one if a part of the path was a link. All further work is done
 * through that descriptor, wherever links may point by then.
 */
export const pinnedFiles: FileAccess = {
  stat: (path) => closing(pin(path, O_PATH), async (pinned) => statOf(await pinned.stat())),
  // Without waiting for a writer at the other end of a named pipe.
  read: (path, options) =>
    closing(pin(path, O_RDONLY | O_NONBLOCK), (pinned) => contentOf(pinned, path, options)),
  write: (path, content) =>
    closing(pinDirectory(dirname(path)), (directory) => replaceIn(pathOf(directory), path, content)),
  append: (path, content) =>
    closing(pinDirectory(dirname(path), PRIVATE), (directory) => addIn(pathOf(directory), path, content)),
  remove: (path) =>
    closing(pin(dirname(path), O_PATH | O_DIRECTORY), (directory) => removeIn(pathOf(directory), path)),
  list: (path) =>
    closing(pin(path, O_RDONLY | O_DIRECTORY), (directory) =>
      readdir(pathOf(directory), { withFileTypes: true }),
    ),
  hold: async (path) => {
    const directory = await pin(path, O_PATH | O_DIRECTORY);
    return { path: pathOf(directory), release: () => directory.close() };
  },
};

/** The directory or file behind the descriptor, whatever its name leads to now. */
function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

async function closing<Value>(
  opening: Promise<FileHandle>,
  use: (handle: FileHandle) => Promise<Value>,
): Promise<Value> {
  const handle = await opening;
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

/** Opens what is found at `at`, which is `path` by another name, and closes it again if it is not `path` at all. */
async function pin(path: string, flags: number, at: string = path): Promise<FileHandle> {
  for (let attempt = 1; ; attempt += 1) {
    const pinned = await opened(path, flags, at);
    try {
      const found = await readlink(pathOf(pinned));
      if (found === path && !(await pinned.stat()).isSymbolicLink()) return pinned;
      // Replaced by another file of that name while we looked: that one is meant.
      const wasReplaced = found === `${path} (deleted)` && attempt < LIMITS.replacedFileAttempts;
      if (!wasReplaced) throw linkRefused(path);
    } catch (error) {
      await pinned.close();
      throw error;
    }
    await pinned.close();
  }
}

async function opened(path: string, flags: number, at: string): Promise<FileHandle> {
  try {
    return await open(at, flags | O_NOFOLLOW);
  } catch (error) {
    // With O_DIRECTORY a link is "not a directory".
    throw systemCode(error) === 'ELOOP' || (await isLink(at)) ? linkRefused(path) : error;
  }
}

function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

/** Makes what is missing, each directory inside the one that was checked before it. */
async function pinDirectory(path: string, mode?: number): Promise<FileHandle> {
  try {
    return await pin(path, O_PATH | O_DIRECTORY);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
  }
  return closing(pinDirectory(dirname(path), mode), async (parent) => {
    const at = `${pathOf(parent)}/${basename(path)}`;
    await mkdir(at, mode).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
    return await pin(path, O_PATH | O_DIRECTORY, at);
  });
}

/** Whether the kernel tells which path a descriptor has. */
export async function canPin(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  return readlink('/proc/self/fd/0').then(
    () => true,
    (error) => !isMissing(error),
  );
}
