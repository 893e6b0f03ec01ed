import { readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf, OptionError } from '../../../protocol/base/errors.js';
import { withLock } from '../../../sessions/file-lock.js';

/** The directories that this process has. */
const mine = new Set<string>();

/**
 * Keeps a directory for this process: two that have one PGlite open destroy it. The file names the process; one that was
 * killed is known by its number, and by when it began, since numbers are used again.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const file = resolve(directory, 'lock');
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // One at a time: of two that find the lock of a dead process, one gets it.
    await withLock(file, () => take(directory, file));
  } catch (error) {
    if (OptionError.is(error)) throw error;
    const text = `The directory ${directory} cannot be used for a storage: ${messageOf(error)}`;
    throw new OptionError('directory', directory, text);
  }
  return async () => {
    mine.delete(file);
    await rm(file, { force: true });
  };
}

async function take(directory: string, file: string): Promise<void> {
  const owner = `${process.pid} ${beginning(process.pid)}`;
  const other = await readFile(file, 'utf8').catch(() => '');
  if (mine.has(file) || (other !== owner && isAlive(other))) throw inUse(directory, file, other);
  await writeFile(file, owner, { mode: 0o600 });
  mine.add(file);
}

function isAlive(owner: string): boolean {
  const [, pid, began] = /^(\d+) (\d*)$/.exec(owner) ?? [];
  // Empty: killed while it was written.
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // Another user's lives too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return beginning(Number(pid)) === began;
}

/** When a process began, in the system's own count; empty where that cannot be told. */
function beginning(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function inUse(directory: string, file: string, owner: string): OptionError {
  return new OptionError(
    'directory',
    directory,
    `The directory ${directory} is in use by process ${owner.split(' ')[0]}: PGlite serves one program at a time. Give each program a ` +
      `directory of its own, or use a PostgreSQL server. If that process is none of yours, delete ${file}.`,
  );
}
