// @ts-check
/** `node scripts/build.mjs`: makes `dist` anew. */
import { join, resolve } from 'node:path';
import { build } from './lib/build.mjs';

await build(resolve(join(import.meta.dirname, '..'))).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
