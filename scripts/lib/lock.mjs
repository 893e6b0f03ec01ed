// @ts-check
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** After this long without a sign of life a lock counts as left behind, even if some process has its number. */
const STALE_MS = 10 * 60 * 1000;
/** The owner gives its sign of life this often; the waiting look this often. */
const TOUCH_MS = 5_000;
const POLL_MS = 100;
/** Between making the folder and writing the number in it, the owner is unknown. It takes far less than this. */
const UNSIGNED_MS = 2_000;

/**
 * Runs `work` while no other process does so for the same `folder`. Making a folder is the one operation that every
 * file system does for exactly one of two rivals.
 *
 * @template Result
 * @param {string} folder
 * @param {(owner: string) => void} onWait called once if somebody else is at work
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withLock(folder, onWait, work) {
  mkdirSync(dirname(folder), { recursive: true });
  let announced = false;
  while (!acquire(folder)) {
    const owner = readOwner(folder);
    if (isAbandoned(folder, owner)) {
      discard(folder);
      continue;
    }
    if (!announced) onWait(owner ?? 'unknown');
    announced = true;
    await wait(POLL_MS);
  }
  const release = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', release);
  const signOfLife = setInterval(() => touch(folder), TOUCH_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(signOfLife);
    process.off('exit', release);
    release();
  }
}

/** @param {string} folder */
function acquire(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(join(folder, 'pid'), String(process.pid));
  return true;
}

/** @param {string} folder */
function readOwner(folder) {
  try {
    return readFileSync(join(folder, 'pid'), 'utf8') || undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} folder
 * @param {string | undefined} owner
 */
function isAbandoned(folder, owner) {
  let age;
  try {
    age = Date.now() - statSync(folder).mtimeMs;
  } catch {
    return false; // Released this moment.
  }
  if (age > STALE_MS) return true;
  if (owner === undefined) return age > UNSIGNED_MS;
  try {
    process.kill(Number(owner), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/**
 * Moves the abandoned lock away before removing it: of several who wait, one succeeds, and nobody removes the new
 * owner's files from under it.
 *
 * @param {string} folder
 */
function discard(folder) {
  const aside = `${folder}.${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch {
    return;
  }
  rmSync(aside, { recursive: true, force: true });
}

/** @param {string} folder */
function touch(folder) {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // Taken over after a long sleep of the machine; there is nothing to renew.
  }
}
