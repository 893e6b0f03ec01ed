import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { clock, wait } from '../protocol/base/clock.js';
import { LIMITS } from '../protocol/base/limits.js';
import { isMissing } from './entries.js';

/**
 * Runs `use` while no other process that asks for the same lock does. The lock is a file beside the other, so
 * that it also holds between machines that share a directory.
 */
export async function withLock<Result>(path: string, use: () => Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`;
  await take(lock);
  try {
    return await use();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<void> {
  const mine = clock.uuid();
  const started = clock.monotonic();
  let owner: string | undefined;
  let ownerSince = started;
  while (!(await create(lock, mine))) {
    const now = clock.monotonic();
    const current = await ownerOf(lock);
    if (current !== owner) {
      owner = current;
      ownerSince = now;
    }
    if (now - started > LIMITS.storeCallMs) {
      throw new Error(
        `The lock ${lock} was not free for ${LIMITS.storeCallMs} ms. If nobody writes, delete it.`,
      );
    }
    // Its owner holds it for milliseconds, so it was killed. By our clock, not by the time of the file: that
    // may come from another machine.
    if (owner !== undefined && now - ownerSince > LIMITS.abandonedLockMs) await remove(lock, owner, mine);
    else await wait(LIMITS.lockPollMs * (0.5 + clock.random()));
  }
}

async function create(lock: string, mine: string): Promise<boolean> {
  try {
    await writeFile(lock, mine, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined if it has been released; an owner that was killed early may have left it empty. */
async function ownerOf(lock: string): Promise<string | undefined> {
  try {
    return await readFile(lock, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Of several that find it abandoned, one may be late and take away the next owner's: that one is put back. */
async function remove(lock: string, abandonedBy: string, mine: string): Promise<void> {
  const aside = `${lock}.${mine}`;
  try {
    await rename(lock, aside);
    if ((await readFile(aside, 'utf8')) !== abandonedBy) await link(aside, lock);
  } catch (error) {
    if (!isMissing(error) && (error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  await rm(aside, { force: true });
}
