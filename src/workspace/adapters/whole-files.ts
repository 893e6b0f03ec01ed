import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { clock } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import type { FileStat, ReadOptions } from '../workspace.js';
import { isMissing, linkRefused } from './file-errors.js';
import { kindOf } from './locate.js';

const CHUNK_BYTES = 256 * 1024;

export function statOf(found: Stats): FileStat {
  return { kind: kindOf(found), size: found.size, modifiedMs: found.mtimeMs };
}

/** What an open file contains, or its beginning. */
export async function contentOf(file: FileHandle, path: string, options: ReadOptions): Promise<Uint8Array> {
  const { maxBytes = Number.POSITIVE_INFINITY, signal } = options;
  const found = await file.stat();
  refuseOther(found, path);
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (length < maxBytes) {
    signal?.throwIfAborted();
    // One byte more than it should have tells that it has not grown.
    const expected = Math.max(found.size - length + 1, CHUNK_BYTES);
    const chunk = Buffer.allocUnsafe(Math.min(expected, maxBytes - length, 64 * CHUNK_BYTES));
    const { bytesRead } = await file.read(chunk, 0, chunk.length);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    length += bytesRead;
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, length);
}

/**
 * Replaces a file in a directory at once, or makes it. `directory` leads to the directory that `path` names; who may
 * do what with the file stays as it was.
 */
export async function replaceIn(directory: string, path: string, content: Uint8Array): Promise<void> {
  const at = join(directory, basename(path));
  const old = await present(at);
  if (old !== undefined) {
    refuseOther(old, path);
    // A file that may not be written is not replaced either.
    await access(at, constants.W_OK);
  }
  const temporary = join(directory, `.tenon-${clock.uuid()}.tmp`);
  const file = await open(temporary, 'wx', 0o666);
  try {
    try {
      await file.writeFile(content);
      if (old !== undefined) await takeOver(file, old);
    } finally {
      await file.close();
    }
    await rename(temporary, at);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

/** Of a directory that nobody else may look into. */
export const PRIVATE = 0o700;

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Adds to a file in a directory, or makes one for this user only. */
export async function addIn(directory: string, path: string, content: Uint8Array): Promise<void> {
  const flags = O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK;
  const file = await open(join(directory, basename(path)), flags, 0o600);
  try {
    refuseOther(await file.stat(), path);
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

async function takeOver(file: FileHandle, old: Stats): Promise<void> {
  const made = await file.stat();
  if (made.uid !== old.uid || made.gid !== old.gid) {
    // Only root can give a file away.
    await file.chown(old.uid, old.gid).catch(() => {});
  }
  // Afterwards: a new owner takes some of the bits away.
  await file.chmod(old.mode & 0o7777);
}

export async function removeIn(directory: string, path: string): Promise<void> {
  const at = join(directory, basename(path));
  const old = await present(at);
  if (old === undefined) return;
  refuseOther(old, path);
  await unlink(at);
}

async function present(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function refuseOther(found: Stats, path: string): void {
  if (found.isSymbolicLink()) throw linkRefused(path);
  if (found.isFile()) return;
  const what = found.isDirectory() ? 'a directory' : 'a device, a socket or a named pipe';
  throw new TenonError('FILE_FAILED', `"${path}": it is ${what}, not a file.`);
}
