// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { commandOf, run } from './run.mjs';

const MARKER = 'dist/.tenon-build';

/**
 * Whether `dist` is missing or was built from other sources.
 *
 * @param {string} root
 */
export function needsBuild(root) {
  const marker = join(root, MARKER);
  return !existsSync(marker) || readFileSync(marker, 'utf8') !== sourceHash(root);
}

/**
 * Builds `dist` anew. Throws an error with the compiler's words.
 *
 * @param {string} root
 */
export async function build(root) {
  // Taken before the compiler starts: what is edited meanwhile makes the build stale again.
  const hash = sourceHash(root);
  // The compiler never deletes, so the output of a deleted source would stay and be published.
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const compiler = commandOf('typescript', 'tsc');
  const { ok, output } = await run(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root });
  if (!ok) {
    throw new Error(
      `The build failed in ${root}\n\n${output.trim()}\n\nCorrect the sources named above, then try again.`,
    );
  }
  // Loaded here, because what is imported above runs before the packages are installed.
  const { bundle } = await import('./bundle.mjs');
  await bundle(root);
  const { buildPage } = await import('./page.mjs');
  await buildPage(root);
  writeFileSync(join(root, MARKER), hash);
}

/**
 * Of the paths and contents of everything that the output depends on.
 *
 * @param {string} root
 */
function sourceHash(root) {
  const source = join(root, 'src');
  const sources = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const configurations = readdirSync(root)
    .filter((name) => /^tsconfig.*\.json$/.test(name))
    .map((name) => join(root, name));
  const hash = createHash('sha256');
  for (const file of [...sources, ...configurations].sort()) {
    const content = readFileSync(file);
    // The length keeps two files apart whose texts would join to the same.
    hash.update(`${relative(root, file).split(sep).join('/')}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
