// @ts-check
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const SOURCE = 'src/inspector/page';
const TARGET = 'dist/inspector/page';

/**
 * Builds the inspector's page: one script, one style sheet, one document. Unlike the rest of `dist` it is small rather than
 * readable, with its packages inside, because browsers load it.
 *
 * @param {string} root
 */
export async function buildPage(root) {
  const target = join(root, TARGET);
  mkdirSync(target, { recursive: true });
  await writeScript(root);
  writeFileSync(join(target, 'page.css'), styles(join(root, SOURCE, 'style')));
  writeFileSync(join(target, 'index.html'), readFileSync(join(root, SOURCE, 'index.html')));
}

/** @param {string} root */
async function writeScript(root) {
  const build = await rolldown({
    cwd: root,
    input: { page: `./${SOURCE}/main.ts` },
    platform: 'browser',
    tsconfig: false,
    // lit-html has a build for development, which checks and logs.
    resolve: { conditionNames: ['browser', 'import', 'default'] },
  });
  try {
    // Not a module: a script in a file of its own works from a disk, too.
    await build.write({
      dir: TARGET,
      format: 'iife',
      entryFileNames: '[name].js',
      minify: true,
      comments: false,
    });
  } finally {
    await build.close();
  }
}

/**
 * In the order of their names, without comments and indentation.
 *
 * @param {string} folder
 */
function styles(folder) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.css'))
    .sort();
  return files
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .replaceAll(/([{};,])\n/g, '$1')
    .replaceAll(/: /g, ':')
    .trim();
}
