import { searchFiles } from '../search/search-files.js';
import type { FileMatches, SearchAnswer, SearchQuery } from '../workspace.js';
import type { FileTools, Target } from './changed-file.js';

/** What the tools that search know. */
export type SearchTools = Pick<FileTools, 'context' | 'here'>;

/** What a search finds that the model may see, with the names by which it knows the files. */
export async function foundFiles(
  { context: { workspace, mayRead }, here }: SearchTools,
  query: Omit<SearchQuery, 'path'>,
  place: Target,
  signal: AbortSignal,
): Promise<SearchAnswer & { nameOf(file: FileMatches): string }> {
  const asked = { ...query, path: place.real };
  const answer = await (workspace.search?.(asked, signal) ?? searchFiles(workspace, asked, signal));
  const { root } = await here();
  return {
    isCut: answer.isCut,
    files: answer.files.filter(({ path }) => mayRead(path)),
    nameOf: ({ path }) => shownPath(root, place.path + path.slice(place.real.length)),
  };
}

/** Short where it can be: relative to where the shell is. */
function shownPath(root: string, path: string): string {
  const start = root.endsWith('/') ? root : `${root}/`;
  const plain = path.replace(/^\/\/+/, '/');
  return plain.startsWith(start) ? plain.slice(start.length) : plain;
}

export function byPath(left: FileMatches, right: FileMatches): number {
  return left.path < right.path ? -1 : 1;
}

export function oldestFirst(left: FileMatches, right: FileMatches): number {
  return (left.modifiedMs ?? 0) - (right.modifiedMs ?? 0) || byPath(left, right);
}

export function newestFirst(left: FileMatches, right: FileMatches): number {
  return (right.modifiedMs ?? 0) - (left.modifiedMs ?? 0) || byPath(left, right);
}

export const NO_FILES = 'No files found';

export const CUT_SHORT = 'The search was cut short: it found too much, or took too long. Narrow it down.';
