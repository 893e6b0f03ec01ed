import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** By its name, because the build puts this code into other files than it is written in. */
const manifest = createRequire(import.meta.url).resolve('tenon/package.json');

/** Of the package that this command is a part of. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

/** A file of the package. */
export function packagePath(...parts: string[]): string {
  return join(dirname(manifest), ...parts);
}
