// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * Writes one readable file for each entry of the package, and one for what several of them share. A hundred small
 * files cost Node 50 ms and 6 MB more at import than these few (docs/decisions/0008-bundled-entries.md).
 *
 * @param {string} root
 */
export async function bundle(root) {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries(root).map((name) => [name, `./src/${name}.ts`])),
    platform: 'node',
    // Packages stay packages: loaded when they are needed, and shared with the program that uses them.
    external: /^(?!\.|\/|src\/|[A-Za-z]:)/,
    tsconfig: false,
  });
  try {
    await build.write({
      dir: 'dist',
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'shared/[name].js',
      sourcemap: true,
      // Comments say why; people read this output.
      comments: true,
    });
  } finally {
    await build.close();
  }
}

/**
 * The entries and programs of package.json, as paths without their ending.
 *
 * @param {string} root
 * @returns {string[]}
 */
function entries(root) {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const targets = [...Object.values(exports), ...Object.values(bin)]
    .map((target) => (typeof target === 'string' ? target : target.default))
    .filter((/** @type {string} */ target) => target.endsWith('.js'));
  return [
    ...new Set(targets.map((/** @type {string} */ target) => target.replace(/^\.\/dist\/|\.js$/g, ''))),
  ];
}
