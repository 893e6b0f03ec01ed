import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clock } from '../../base/clock.js';
import { messageOf, ProcessError } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { reaper } from './process-group.js';
import { OWNER_FILE } from './reaper.js';

const NAME = /^tenon-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * A directory that only this user can read, for secrets. It is gone when the host is: the reaper knows of it
 * before it exists. If even the reaper was killed, the next host of this user removes it.
 */
export function makePrivateDirectory(): string {
  sweepOnce();
  const root = tmpdir();
  const path = join(root, `tenon-${clock.uuid()}`);
  reaper.add('directory', path);
  try {
    mkdirSync(path, { mode: 0o700 });
    writeFileSync(join(path, OWNER_FILE), `${reaper.owner}\n${factsOf(process.pid) ?? ''}\n`, {
      mode: 0o600,
      flag: 'wx',
    });
  } catch (error) {
    removePrivateDirectory(path);
    throw new ProcessError(
      'NO_TEMPORARY_DIRECTORY',
      `Cannot create a private directory in "${root}": ${messageOf(error)}. Create that directory, make it ` +
        'writable, or set TMPDIR (on Windows TEMP) of this process to another one.',
      { cause: error },
    );
  }
  return path;
}

export function removePrivateDirectory(path: string): void {
  // The signature goes last: a host that is killed before that leaves a directory which is still known as ours.
  for (const name of contentsOf(path)) if (name !== OWNER_FILE) remove(join(path, name));
  remove(path);
  reaper.remove('directory', path);
}

function remove(path: string): void {
  // Links are removed, not their targets.
  rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: LIMITS.removeRetryMs });
}

function contentsOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

let isSwept = false;

function sweepOnce(): void {
  if (isSwept) return;
  isSwept = true;
  const root = tmpdir();
  // Later: the agent that the caller is about to start comes first. What cannot be removed stays.
  clock.setImmediate(() => void sweep(root).catch(() => {}));
}

/** Removes what hosts of this user left that were killed together with their reaper. */
async function sweep(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (NAME.test(name) && (await isAbandoned(join(root, name)))) {
      await rm(join(root, name), { recursive: true, force: true });
    }
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const status = await lstat(path);
    if (!status.isDirectory() || status.uid !== (process.getuid?.() ?? status.uid)) return false;
    const [, facts = ''] = (await readFile(join(path, OWNER_FILE), 'utf8')).split('\n');
    const [pid = '', ...rest] = facts.split(' ');
    // Of another container or machine that shares the directory nothing can be told.
    if (rest.slice(1).join(' ') !== whereabouts()) return false;
    return facts !== factsOf(Number(pid));
  } catch {
    return false;
  }
}

/** What distinguishes a running process from all earlier and later ones; undefined if it does not run. */
function factsOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return `${pid} ${startTime(pid)} ${whereabouts()}`;
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  return `${pid} - ${whereabouts()}`;
}

/** In ticks since the machine was started. */
function startTime(pid: number): string {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // "pid (name) state parent …"; the name may itself contain blanks and parentheses.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** The machine, and the container on it: process ids mean nothing elsewhere. */
function whereabouts(): string {
  let namespace = '-';
  try {
    if (process.platform === 'linux') namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // There is no /proc.
  }
  return `${hostname()} ${namespace}`;
}
