import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** The roots of all worktrees of a directory's repository, read from git's own files. */
export async function worktreesOf(directory: string): Promise<string[]> {
  const gitDir = await findGitDir(directory);
  if (gitDir === undefined) return [];
  // In a worktree, `commondir` points to the repository itself.
  const common = resolve(gitDir, (await textOf(join(gitDir, 'commondir')))?.trim() ?? '.');
  const names = await readdir(join(common, 'worktrees')).catch(() => []);
  const linked = await Promise.all(names.map((name) => textOf(join(common, 'worktrees', name, 'gitdir'))));
  return [
    dirname(common),
    ...linked.filter((path) => path !== undefined).map((path) => dirname(path.trim())),
  ];
}

async function findGitDir(directory: string): Promise<string | undefined> {
  for (let folder = directory; ; folder = dirname(folder)) {
    const path = join(folder, '.git');
    const status = await stat(path).catch(() => undefined);
    if (status?.isDirectory()) return path;
    if (status?.isFile()) {
      const target = /^gitdir: (.*)$/m.exec((await textOf(path)) ?? '')?.[1];
      return target === undefined ? undefined : resolve(folder, target.trim());
    }
    if (dirname(folder) === folder) return undefined;
  }
}

function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
