import { LIMITS } from '../../protocol/base/limits.js';
import type { Workspace } from '../../workspace/workspace.js';

const MOST = 15;
/** Nobody means a file in there, and there are many. */
const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/**
 * Files whose path has the characters of `query` in this order, the likeliest first; without a query, what is in the
 * root. Paths are relative to the root.
 */
export async function suggestFiles(
  workspace: Workspace,
  query: string,
  mayRead: (real: string) => boolean,
): Promise<string[]> {
  const wanted = query.toLowerCase().replace(/^\.\//, '');
  const found: { path: string; rank: number }[] = [];
  for await (const path of pathsIn(workspace, wanted === '')) {
    const rank = rankOf(path.toLowerCase(), wanted);
    if (rank !== undefined && mayRead(`${workspace.root}/${path}`)) found.push({ path, rank });
  }
  const order = found.toSorted(
    (left, right) => left.rank - right.rank || left.path.length - right.path.length,
  );
  return order.slice(0, MOST).map(({ path }) => path);
}

/** Files, level by level; directories end with a slash. */
async function* pathsIn({ root, list }: Workspace, isFlat: boolean): AsyncGenerator<string, void> {
  const directories = [''];
  let count = 0;
  for (let directory = directories.shift(); directory !== undefined; directory = directories.shift()) {
    const entries = await list(`${root}/${directory}`.replace(/\/$/, '')).catch(() => []);
    for (const { name, kind } of entries) {
      count += 1;
      if (count > LIMITS.maxSuggestedFrom) return;
      if (kind === 'file') yield directory + name;
      if (kind !== 'directory' || PASSED_OVER.has(name)) continue;
      yield `${directory}${name}/`;
      if (!isFlat) directories.push(`${directory}${name}/`);
    }
  }
}

/** The lower, the likelier; undefined: not meant. */
function rankOf(path: string, wanted: string): number | undefined {
  const name = path.slice(path.replace(/\/$/, '').lastIndexOf('/') + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = 0;
  for (const character of path) if (character === wanted[at]) at += 1;
  return at === wanted.length ? 3 : undefined;
}
