/** Files for the agents of a scenario. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Long enough ago that nothing written during a run comes before it. */
const FIRST_SECOND = 1_700_000_000;

/** Writes files below a directory, each a second younger than the one before. */
export function writeFiles(directory: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [index, [name, content]] of Object.entries(files).entries()) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, FIRST_SECOND + index, FIRST_SECOND + index);
  }
}
