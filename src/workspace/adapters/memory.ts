import { clock } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import type { DirectoryEntry, FileStat, Located, Workspace } from '../workspace.js';

export interface MemoryWorkspaceOptions {
  /** The directory that relative paths start from. Default: `/workspace`. */
  root?: string | undefined;
}

interface StoredFile {
  readonly content: Uint8Array;
  readonly modifiedMs: number;
}

/**
 * A tree in memory, for tests and for places without a disk. Names are case-sensitive, there are no links and no
 * commands. Keys of `files` are paths, relative to the root or absolute; nothing is kept beyond this value.
 */
export function memoryWorkspace(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  { root = '/workspace' }: MemoryWorkspaceOptions = {},
): Workspace {
  const start = resolved('/', root);
  const tree = new MemoryTree(start);
  for (const [path, content] of Object.entries(files)) {
    tree.write(
      resolved(start, path),
      typeof content === 'string' ? new TextEncoder().encode(content) : content,
    );
  }
  return {
    root: start,
    locate: async (path): Promise<Located> => {
      const real = resolved(start, path);
      return { real, kind: tree.stat(real)?.kind };
    },
    stat: async (path) => tree.stat(path),
    read: async (path, { maxBytes = Number.POSITIVE_INFINITY, signal } = {}) => {
      signal?.throwIfAborted();
      return tree.read(path).slice(0, Math.min(maxBytes, Number.MAX_SAFE_INTEGER));
    },
    write: async (path, content) => tree.write(path, content),
    remove: async (path) => tree.remove(path),
    list: async (path) => tree.list(path),
  };
}

/** Files by path. A directory is there as long as something is in it. */
class MemoryTree {
  readonly #root: string;
  readonly #files = new Map<string, StoredFile>();

  constructor(root: string) {
    this.#root = root;
  }

  stat(path: string): FileStat | undefined {
    const file = this.#files.get(path);
    if (file !== undefined) {
      return { kind: 'file', size: file.content.length, modifiedMs: file.modifiedMs };
    }
    return this.#isDirectory(path) ? { kind: 'directory', size: 0, modifiedMs: 0 } : undefined;
  }

  read(path: string): Uint8Array {
    const file = this.#files.get(path);
    if (file !== undefined) return file.content;
    throw this.#isDirectory(path) ? failed(path, 'it is a directory, not a file.') : notFound(path);
  }

  write(path: string, content: Uint8Array): void {
    if (this.#isDirectory(path)) throw failed(path, 'it is a directory, not a file.');
    const above = parentsOf(path).find((parent) => this.#files.has(parent));
    if (above !== undefined) throw failed(path, `"${above}" is a file, not a directory.`);
    this.#files.set(path, { content: content.slice(), modifiedMs: clock.now() });
  }

  remove(path: string): void {
    if (this.#isDirectory(path)) throw failed(path, 'it is a directory, not a file.');
    this.#files.delete(path);
  }

  list(path: string): DirectoryEntry[] {
    if (this.#files.has(path)) throw failed(path, 'it is a file, not a directory.');
    if (!this.#isDirectory(path)) throw notFound(path);
    const entries = new Map<string, DirectoryEntry>();
    const start = prefixOf(path);
    for (const each of [...this.#files.keys(), this.#root]) {
      if (!each.startsWith(start) || each.length === start.length) continue;
      const [name = '', ...below] = each.slice(start.length).split('/');
      const isFile = below.length === 0 && this.#files.has(each);
      entries.set(name, { name, kind: isFile ? 'file' : 'directory' });
    }
    return [...entries.values()];
  }

  #isDirectory(path: string): boolean {
    const start = prefixOf(path);
    if (path === this.#root || this.#root.startsWith(start)) return true;
    for (const each of this.#files.keys()) if (each.startsWith(start)) return true;
    return false;
  }
}

function prefixOf(path: string): string {
  return path === '/' ? path : `${path}/`;
}

function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index).join('/')).slice(2);
}

/** An absolute path without `.`, `..` and repeated slashes. */
function resolved(start: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${start}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function notFound(path: string): TenonError {
  return new TenonError('FILE_NOT_FOUND', `"${path}": there is no such file or directory.`);
}

function failed(path: string, words: string): TenonError {
  return new TenonError('FILE_FAILED', `"${path}": ${words}`);
}
