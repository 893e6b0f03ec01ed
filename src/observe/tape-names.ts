import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { TenonError } from '../protocol/base/errors.js';
import { LIMITS } from '../protocol/base/limits.js';
import { PRIVATE, type TapeDisk } from './tape-file.js';

export interface NewTape {
  path: string;
  descriptor: number;
}

export interface NamingRules {
  maxRuns: number;
  /** For the names of files in a directory. */
  startedAt: string;
  conversation: string;
  /** The name that is being tried. */
  attempted?: string;
}

/** `2026-11-16T09-12-33-120Z-4f1c2d3e.tape`: sorted by name, they are sorted by time. */
const OWN_NAME = /^\d{4}-\d\d-\d\dT[\d-]+Z-[0-9a-f]{8}\.tape$/;
/** Of this process, and still being written: not to be removed. */
const inUse = new Set<string>();

/**
 * Creates the file of a recording. What exists is neither overwritten nor added to: after `run.tape` comes
 * `run-2.tape`.
 */
export async function createTape(given: string, rules: NamingRules, disk: TapeDisk): Promise<NewTape> {
  const isDirectory = await stat(given).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isDirectory) return createNumbered(given, rules, disk);
  const created = await createNumbered(join(given, nameOf(rules)), rules, disk);
  inUse.add(created.path);
  await removeOldest(given, rules.maxRuns);
  return created;
}

function nameOf({ startedAt, conversation }: NamingRules): string {
  return `${startedAt.replaceAll(/[:.]/g, '-')}-${conversation.slice(0, 8)}.tape`;
}

/**
 * The same at the exit of a program, which cannot wait for `createTape`. That may have just made the file; it is
 * ours if it is empty and not older than the recording.
 */
export function createTapeNow(given: string, rules: NamingRules): NewTape | undefined {
  const isDirectory = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true;
  for (const path of candidates(isDirectory ? join(given, nameOf(rules)) : given, rules.maxRuns)) {
    try {
      return { path, descriptor: openSync(path, 'wx', PRIVATE) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return undefined;
    }
    if (path !== rules.attempted) continue;
    const descriptor = justMade(path, rules);
    if (descriptor !== undefined) return { path, descriptor };
  }
  return undefined;
}

function justMade(path: string, { startedAt }: NamingRules): number | undefined {
  try {
    const descriptor = openSync(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
    const { size, mtimeMs } = fstatSync(descriptor);
    if (size === 0 && mtimeMs >= Date.parse(startedAt) - LIMITS.fileTimeGrainMs) return descriptor;
    closeSync(descriptor);
  } catch {
    // Not ours, then.
  }
  return undefined;
}

/** `run.tape`, `run-2.tape`, `run-3.tape` … */
function* candidates(path: string, maxRuns: number): Generator<string, void> {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  yield path;
  for (let number = 2; number <= maxRuns; number += 1) yield `${stem}-${number}${ending}`;
}

export function releaseTape(path: string): void {
  inUse.delete(path);
}

async function createNumbered(path: string, rules: NamingRules, disk: TapeDisk): Promise<NewTape> {
  for (const candidate of candidates(path, rules.maxRuns)) {
    rules.attempted = candidate;
    try {
      return { path: candidate, descriptor: await disk.create(candidate) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new TenonError(
    'FILE_FAILED',
    `${path} has been recorded ${rules.maxRuns} times. ` +
      'Remove some, raise `maxRuns`, or give a directory, in which the oldest recording makes room',
  );
}

/** Only files that have such a name as we give. A file that somebody else removes first is not missed. */
async function removeOldest(directory: string, maxRuns: number): Promise<void> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => OWN_NAME.test(name)).sort();
  const surplus = names.slice(0, Math.max(0, names.length - maxRuns));
  const removable = surplus.map((name) => join(directory, name)).filter((path) => !inUse.has(path));
  await Promise.all(removable.map((path) => unlink(path).catch(() => {})));
}
