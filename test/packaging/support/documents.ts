/** The pages of the documentation, and what is in them. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root: string = fileURLToPath(new URL('../../../', import.meta.url));

export interface Page {
  /** From the root of the checkout. */
  path: string;
  text: string;
}

export async function documents(): Promise<Page[]> {
  const top = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
  const docs = (await readdir(join(root, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  const examples = (await readdir(join(root, 'examples')))
    .flatMap((name) => [join('examples', name), join('examples', name, 'README.md')])
    .filter((path) => path.endsWith('README.md') && existsSync(join(root, path)));
  return Promise.all(
    [...top, ...docs, ...examples].map(async (path) => ({
      path,
      text: await readFile(join(root, path), 'utf8'),
    })),
  );
}

/** The fenced blocks of a language, in order. */
export function blocks(text: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms');
  return [...text.matchAll(fence)].map(([, code = '']) => code);
}

/** The commands of all `sh` blocks, without the words beside them. */
export function commands(text: string): string[] {
  return blocks(text, 'sh')
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter((line) => line !== '');
}

/** Headings as links name them. */
export function anchors(text: string): Set<string> {
  const counts = new Map<string, number>();
  const withoutCode = text.replaceAll(/^```.*?^```/gms, '');
  const headings = [...withoutCode.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const plain = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(plain) ?? 0;
    counts.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  });
  return new Set(headings);
}
