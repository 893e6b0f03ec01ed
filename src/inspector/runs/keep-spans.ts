import { open, rename, rm } from 'node:fs/promises';
import { PRIVATE } from '../../observe/tape-file.js';
import type { InspectedRun } from './inspected-run.js';
import { tapeText } from './tape-text.js';

/** Writes the spans of a run into its file. One that has not ended is still its writer's. */
export async function keepSpans(run: InspectedRun, path: string): Promise<void> {
  if (run.spanCount === 0 || !run.hasEnded || run.broken !== undefined) return;
  const part = `${path}.part`;
  const file = await open(part, 'wx', PRIVATE);
  try {
    for await (const lines of tapeText(run)) await file.write(lines);
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
}
