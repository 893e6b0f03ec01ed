/** Files in memory for tests of what an agent knows. */
import type { KnowledgeFiles } from '../../../src/runtime/knowledge/files.js';
import type { KnowledgePlaces } from '../../../src/runtime/knowledge/places.js';
import type { Workspace } from '../../../src/workspace/workspace.js';

/** Contents by path; a function throws when it is read, a string that begins with "-> " is a link. */
export type Tree = Record<string, string | (() => never)>;

function resolved(tree: Tree, path: string): string {
  const entry = tree[path];
  return typeof entry === 'string' && entry.startsWith('-> ') ? resolved(tree, entry.slice(3)) : path;
}

export function treeFiles(tree: Tree): KnowledgeFiles {
  return {
    read: async (path, maxBytes) => {
      const real = resolved(tree, path);
      const entry = tree[real];
      if (entry === undefined) return undefined;
      if (typeof entry === 'function') return entry();
      if (entry.length > maxBytes) throw new Error('it is too long.');
      return { text: entry, real };
    },
    list: async (directory) => listed(tree, directory),
  };
}

function listed(tree: Tree, directory: string): { name: string; isDirectory: boolean }[] | undefined {
  const names = new Map<string, boolean>();
  for (const path of Object.keys(tree)) {
    if (!path.startsWith(`${directory}/`)) continue;
    const [name = '', ...more] = path.slice(directory.length + 1).split('/');
    names.set(name, more.length > 0);
  }
  return names.size === 0 ? undefined : [...names].map(([name, isDirectory]) => ({ name, isDirectory }));
}

/** A workspace without a shell, for conversations. */
export function treeWorkspace(tree: Tree, root = '/work'): Workspace {
  const kind = (path: string) =>
    tree[path] !== undefined ? ('file' as const) : listed(tree, path) ? ('directory' as const) : undefined;
  const bytes = (path: string) => new TextEncoder().encode(String(tree[path]));
  return {
    root,
    locate: async (path) => {
      const real = resolved(tree, path.startsWith('/') ? path : `${root}/${path}`);
      return { real, kind: kind(real) };
    },
    stat: async (path) => {
      const found = kind(path);
      return found === undefined ? undefined : { kind: found, size: bytes(path).length, modifiedMs: 0 };
    },
    read: async (path) => bytes(path),
    write: async (path, content) => {
      tree[path] = new TextDecoder().decode(content);
    },
    remove: async (path) => {
      delete tree[path];
    },
    list: async (path) =>
      (listed(tree, path) ?? []).map(({ name, isDirectory }) => ({
        name,
        kind: isDirectory ? 'directory' : 'file',
      })),
  };
}

export function places(more: Partial<KnowledgePlaces> = {}): KnowledgePlaces {
  return {
    cwd: '/up/work',
    projectRoot: '/up/work',
    additionalDirectories: [],
    configDirectory: '/config',
    home: '/home',
    pluginDirectories: [],
    sources: new Set(['user', 'project', 'local']),
    isTrusted: false,
    mayImportAnything: false,
    ...more,
  };
}
