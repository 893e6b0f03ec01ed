/**
 * Directories for the storage of a host. PGlite takes seconds of work to make one, and most tests are about something else: it
 * is made once for a test file, and copied.
 */
import { cpSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresStorage } from 'tenon/host/postgres';
import { afterAll } from 'vitest';

let made: Promise<string> | undefined;
afterAll(async () => {
  if (made !== undefined) await rm(await made, { recursive: true, force: true });
});

/** Puts an empty storage there, as `postgresStorage({ directory })` would. */
export async function prepareDirectory(directory: string): Promise<void> {
  made ??= make();
  cpSync(join(await made, 'host'), directory, { recursive: true });
}

async function make(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-host-'));
  const storage = postgresStorage({ directory: join(folder, 'host') });
  await storage.open?.();
  await storage.close();
  return folder;
}
