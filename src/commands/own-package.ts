import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Found by name, because the build moves this code into other files. */
const manifest = createRequire(import.meta.url).resolve('tenon/package.json');

/** The version of the package that this command belongs to. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

/** A file of the package. */
export function packagePath(...parts: string[]): string {
  return join(dirname(manifest), ...parts);
}
