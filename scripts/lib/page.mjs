// @ts-check
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { parseSync, Visitor } from 'rolldown/utils';

const SOURCE = 'src/inspector/page';
const TARGET = 'dist/inspector/page';

/**
 * Builds the inspector's page: one script, one style sheet, one document. Unlike the rest of `dist` it is small rather than
 * readable, with its packages inside, because browsers load it. Does nothing where there is no page.
 *
 * @param {string} root
 */
export async function buildPage(root) {
  if (!existsSync(join(root, SOURCE))) return;
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
    plugins: [oneLineTemplates()],
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
 * Templates are indented for readers; browsers see one space, or as many.
 *
 * @returns {import('rolldown').Plugin}
 */
function oneLineTemplates() {
  return {
    name: 'one-line-templates',
    transform: {
      filter: { id: /[\\/]inspector[\\/]page[\\/].*\.ts$/ },
      handler(code, id) {
        const { program } = parseSync(id, code);
        /** @type {{ start: number, end: number }[]} */
        const texts = [];
        new Visitor({
          TaggedTemplateExpression: ({ quasi }) => void texts.push(...quasi.quasis),
        }).visit(program);
        let short = '';
        let from = 0;
        // Templates stand within templates.
        for (const { start, end } of texts.sort((one, other) => one.start - other.start)) {
          short += code.slice(from, start) + code.slice(start, end).replaceAll(/\s*\n\s*/g, ' ');
          from = end;
        }
        return short + code.slice(from);
      },
    },
  };
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
