import { constants, type FileHandle, open } from 'node:fs/promises';
import type { SessionStoreEntry } from '../protocol/wire/session-store.js';
import { readAt } from './entries.js';

/** Appends entries to a transcript. Never waits for a writer that holds no lock, such as the CLI. */
export async function appendLines(path: string, entries: readonly SessionStoreEntry[]): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    await writeAll(file, Buffer.from((await isCutOff(file)) ? `\n${lines}` : lines));
  } finally {
    await file.close();
  }
}

/**
 * A writer that was killed may have left a line without its newline, at any time: the next entry must not
 * become part of it.
 */
async function isCutOff(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  return size > 0 && (await readAt(file, size - 1, 1)).toString() !== '\n';
}

/** In one piece where the system allows: `appendFile` writes half a megabyte at a time, and another writer in between. */
async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let rest = bytes; rest.length > 0; ) {
    const { bytesWritten } = await file.write(rest);
    rest = rest.subarray(bytesWritten);
  }
}
