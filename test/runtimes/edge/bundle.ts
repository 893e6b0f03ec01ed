/** A worker and everything that it imports as one file, as a bundler for workers makes it. */
import { cp, readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ITS_PACKAGES, installBuilt } from '../../support/built-package.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A project with the built package, what a worker uses beside it, and these files of the checkout. */
export async function makeProject(folder: string, files: readonly string[]): Promise<void> {
  await installBuilt(folder, ['zod', '@anthropic-ai', ...ITS_PACKAGES]);
  const provider = join(root, 'test/providers/node_modules/openai-v4');
  await symlink(provider, join(folder, 'node_modules', 'openai-v4'));
  for (const file of files) await cp(join(root, file), join(folder, basename(file)));
}

/** `condition` is the one that the bundler of a platform gives. */
export async function bundle(folder: string, entry: string, condition: string): Promise<string> {
  const outfile = join(folder, `${condition}-${entry}`, 'worker.mjs');
  await build({
    entryPoints: [join(folder, entry)],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    // Packages name by this what they leave out where there is no Node.
    platform: 'browser',
    conditions: [condition, 'worker'],
    logLevel: 'warning',
  });
  return outfile;
}

export async function sizeOf(file: string): Promise<{ bytes: number; gzipped: number }> {
  const text = await readFile(file);
  return { bytes: text.length, gzipped: gzipSync(text).length };
}
