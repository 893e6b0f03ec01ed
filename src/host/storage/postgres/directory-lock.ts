import { readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, OptionError } from '../../../protocol/base/errors.js';

/** The directories that this process has. */
const mine = new Set<string>();

/**
 * Keeps a directory for this process: two that have one PGlite open destroy it. The file names the process; one that was
 * killed is known by its number, and by when it began, since numbers are used again.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'lock');
  const owner = `${process.pid} ${beginning(process.pid)}`;
  while (!(await written(file, owner))) {
    const other = await readFile(file, 'utf8').catch(() => '');
    if (mine.has(file) || (other !== owner && isAlive(other))) throw inUse(directory, file, other);
    await rm(file, { force: true });
  }
  mine.add(file);
  return async () => {
    mine.delete(file);
    await rm(file, { force: true });
  };
}

async function written(file: string, owner: string): Promise<boolean> {
  try {
    await writeFile(file, owner, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new OptionError(
      'directory',
      file,
      `The directory of the host's storage cannot be used: ${messageOf(error)}`,
    );
  }
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
