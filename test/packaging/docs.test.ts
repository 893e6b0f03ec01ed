import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DIFFERENCES } from '../matrix/differences.js';
import { RUNTIME_DIFFERENCES } from '../matrix/runtime-differences.js';
import { anchors, blocks, documents, root } from './support/documents.js';

const pages = await documents();

/** Packages that snippets import; they are installed for the tests elsewhere, some under other names. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@ai-sdk/anthropic': 'providers/node_modules/anthropic-v4/dist/index.d.ts',
  '@ai-sdk/openai': 'providers/node_modules/openai-v4/dist/index.d.ts',
  '@ai-sdk/openai-compatible': 'providers/node_modules/compatible-v4/dist/index.d.ts',
  '@ai-sdk/react': 'chat/node_modules/react-v4/dist/index.d.ts',
  '@anthropic-ai/bedrock-sdk': 'providers/node_modules/@anthropic-ai/bedrock-sdk/index.d.mts',
  '@anthropic-ai/vertex-sdk': 'providers/node_modules/@anthropic-ai/vertex-sdk/index.d.mts',
  ai: 'chat/node_modules/react-v4/node_modules/ai/dist/index.d.ts',
  express: 'chat/node_modules/@types/express/index.d.ts',
  fastify: 'chat/node_modules/fastify/fastify.d.ts',
  hono: 'chat/node_modules/hono/dist/types/index.d.ts',
};

describe('the documents', () => {
  test('have only snippets that compile against the package as it is built', async () => {
    await mkdir(join(root, '.cache'), { recursive: true });
    // Inside the package, so that `tenon` is the package itself.
    const folder = await mkdtemp(join(root, '.cache', 'snippets-'));
    try {
      let count = 0;
      for (const { path, text } of pages) {
        for (const [index, code] of blocks(text, 'ts').entries()) {
          count += 1;
          await writeFile(join(folder, `${path.replaceAll(/\W/g, '_')}_${index + 1}.ts`), code);
        }
      }
      expect(count).toBeGreaterThan(5);
      const config = {
        extends: relative(folder, join(root, 'tsconfig.json')),
        compilerOptions: {
          paths: Object.fromEntries(
            Object.entries(PACKAGES).map(([name, file]) => [name, [join(root, 'test', file)]]),
          ),
        },
        include: ['*.ts'],
        exclude: [],
      };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
      const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch(
        (error) => error,
      );
      expect(stdout).toBe('');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('have only links to files that are there', () => {
    const broken = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(join(root, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test('have only links to headings that are there', () => {
    const headings = new Map(pages.map(({ path, text }) => [path, anchors(text)]));
    const broken = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
        .filter(([, target = '', anchor = '']) => {
          const page = target === '' ? path : join(dirname(path), target);
          return page.endsWith('.md') && headings.get(page)?.has(anchor) !== true;
        })
        .map(([link]) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  test('name every error code in the table of errors', async () => {
    const source = await readFile(join(root, 'src/protocol/base/errors.ts'), 'utf8');
    const union = /export type TenonErrorCode =([^;]+);/.exec(source)?.[1] ?? '';
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);
    const guide = pages.find(({ path }) => path.endsWith('errors.md'))?.text ?? '';
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !guide.includes(`\`${code}\``))).toEqual([]);
  });
});

describe('the page on compatibility', () => {
  test('lists every difference that the matrix allows, with its reason', () => {
    const page = pages.find(({ path }) => path === join('docs', 'compatibility.md'))?.text ?? '';
    const differences = [...DIFFERENCES, ...RUNTIME_DIFFERENCES];
    const missing = differences.filter(
      ({ id, reason }) => !page.includes(`\`${id}\``) || !page.includes(reason),
    );
    expect(missing.map(({ id }) => id)).toEqual([]);
    const listed = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, id]) => id);
    expect(listed.filter((id) => !differences.some((difference) => difference.id === id))).toEqual([]);
  });
});
