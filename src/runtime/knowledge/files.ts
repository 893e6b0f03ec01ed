/**
 * The files that tell an agent something: memory, skills, commands, styles. The platform has those of the machine,
 * a workspace those of the place that the agent works in. Who calls bounds the number of calls.
 */
export interface KnowledgeFiles {
  /**
   * Undefined if there is no such file. Rejects if it cannot be read, is longer than `maxBytes`, or belongs to
   * somebody who is neither the user nor the owner of the working directory.
   */
  read(path: string, maxBytes: number): Promise<KnownFile | undefined>;
  /** What is in a directory, by name; undefined if there is none. Rejects if it cannot be listed. */
  list(directory: string): Promise<readonly ListedFile[] | undefined>;
}

export interface KnownFile {
  readonly text: string;
  /** Where it really is, with links resolved. */
  readonly real: string;
}

export interface ListedFile {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** Absolute, with either kind of separator between: this also runs where there is no `node:path`. */
export function joinPath(base: string, ...parts: readonly string[]): string {
  const path = [base, ...parts].join('/').replaceAll('\\', '/');
  const [, root = ''] = /^([A-Za-z]:\/|\/+|)/.exec(path) ?? [];
  const names: string[] = [];
  for (const name of path.slice(root.length).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return (root === '' ? '' : root.startsWith('/') ? '/' : root) + names.join('/');
}

export function isAbsolutePath(path: string): boolean {
  return /^([A-Za-z]:[\\/]|[\\/])/.test(path);
}

export function parentOf(path: string): string {
  return joinPath(path, '..');
}

/** The directory, its parent, and so on to the top. */
export function upwards(directory: string): string[] {
  const parent = parentOf(directory);
  return parent === joinPath(directory) ? [parent] : [joinPath(directory), ...upwards(parent)];
}

export function isWithin(directory: string, path: string): boolean {
  const root = joinPath(directory);
  const place = joinPath(path);
  return place === root || place.startsWith(root.endsWith('/') ? root : `${root}/`);
}

/** The path from a directory to something in it. */
export function relativeTo(directory: string, path: string): string {
  const root = joinPath(directory);
  return joinPath(path).slice(root.endsWith('/') ? root.length : root.length + 1);
}
