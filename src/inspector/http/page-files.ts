import { readFile } from 'node:fs/promises';
import nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { TenonError } from '../../protocol/base/errors.js';

/** The files of the page, and by which path each is served. There are no others. */
export const PAGE_FILES = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/page.js': { name: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/page.css': { name: 'page.css', type: 'text/css; charset=utf-8' },
} as const;

export type PagePath = keyof typeof PAGE_FILES;

export async function pageFile(path: PagePath): Promise<Buffer> {
  const file = join(packageRoot(), 'dist', 'inspector', 'page', PAGE_FILES[path].name);
  try {
    return await readFile(file);
  } catch (error) {
    throw new TenonError(
      'FILE_NOT_FOUND',
      `The page of the inspector is missing: ${file}. Install the package again, or build it: npm run build`,
      { cause: error },
    );
  }
}

export function packageVersion(): string {
  return own('tenon/package.json').version;
}

/** Found by name, because the build moves this code into other files. */
function packageRoot(): string {
  return dirname(own.resolve('tenon/package.json'));
}

const own = nodeModule.createRequire(import.meta.url);
