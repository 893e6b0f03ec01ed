/** A directory for temporary files that only this test file uses, so that what is left in it can be told. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** Call it at the top of a test file. While its tests run, `os.tmpdir()` is the directory that it returns. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'temporary-'));
  const before = process.env.TMPDIR;
  beforeAll(() => {
    process.env.TMPDIR = directory;
  });
  afterAll(async () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(directory, { recursive: true, force: true });
  });
  return directory;
}
