import type { Stats } from 'node:fs';
import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { TenonError } from '../../protocol/base/errors.js';
import type { FileKind, Located } from '../workspace.js';
import { systemCode } from './file-errors.js';

/** As many as Linux follows in one path. */
const MAX_LINKS = 40;

export function kindOf(entry: Pick<Stats, 'isFile' | 'isDirectory'>): FileKind {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'directory' : 'other';
}

/** Where an absolute path leads. Also through a link to something that does not exist: that is what a write would make. */
export async function locate(path: string): Promise<Located> {
  try {
    const real = await realpath(path);
    return { real, kind: kindOf(await lstat(real)) };
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
    return { real: await followed(path), kind: undefined };
  }
}

async function followed(path: string): Promise<string> {
  const rest = parts(path);
  let real = resolve(path, '/');
  let links = 0;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = join(real, part);
    const target = await linkTarget(next);
    if (target === undefined) {
      real = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) {
      throw new TenonError('LINK_REFUSED', `"${path}" leads through too many symbolic links.`);
    }
    const led = resolve(dirname(next), target);
    real = resolve(led, '/');
    rest.unshift(...parts(led));
  }
  return real;
}

function parts(path: string): string[] {
  return resolve(path)
    .split(/[\\/]/)
    .slice(1)
    .filter((part) => part !== '');
}

/** Undefined: it is no link, or nothing is there. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if (['EINVAL', 'ENOENT', 'ENOTDIR', 'UNKNOWN'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}
