/** The direction of imports, and the size of files: the shape of the source is held by tests, not by memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => {
    const path = name.replaceAll('\\', '/');
    return { path, text: readFileSync(join(source, name), 'utf8') };
  });

/** What each folder may import of the others. The root has the public entry, which may import all but the runtime. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  authoring: ['protocol'],
  client: ['authoring', 'config', 'protocol', 'sessions'],
  // A program on top of everything; nothing may import it.
  commands: ['', 'client', 'protocol', 'runtime'],
  config: ['protocol'],
  protocol: [],
  runtime: ['authoring', 'config', 'protocol', 'sessions'],
  sessions: ['protocol'],
  testing: ['protocol', 'sessions'],
  '': ['authoring', 'client', 'config', 'protocol', 'sessions'],
};

/** The scripted model is a model: it implements the runtime's port, and knows nothing else of the runtime. */
const ALSO: readonly { from: string; to: string }[] = [{ from: 'testing/', to: 'runtime/model.ts' }];

const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

/** `from '…'`, `import '…'` and `import('…')`. */
function importsOf(text: string): string[] {
  const withoutComments = text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/^\s*\/\/.*$/gm, '');
  return [...withoutComments.matchAll(/(?:\bfrom\s|\bimport\s|\bimport\()\s*'([^']+)'/g)].map(
    ([, specifier = '']) => specifier,
  );
}

function resolved(path: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(path), specifier)).replace(/\.js$/, '.ts');
}

const internal = files.flatMap(({ path, text }) =>
  importsOf(text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ from: path, to: resolved(path, specifier) })),
);

describe('imports', () => {
  it('are seen by this test', () => {
    expect(internal.length).toBeGreaterThan(100);
    const paths = new Set(files.map(({ path }) => path));
    expect(internal.filter(({ to }) => !paths.has(to))).toEqual([]);
  });

  it('go in one direction only: protocol knows nobody, nobody knows testing', () => {
    const wrong = internal.filter(({ from, to }) => {
      const [folder, target] = [folderOf(from), folderOf(to)];
      if (folder === target || MAY_IMPORT[folder]?.includes(target)) return false;
      return !ALSO.some((each) => from.startsWith(each.from) && to === each.to);
    });
    expect(wrong).toEqual([]);
  });

  it('have an entry in the table for every folder', () => {
    const folders = new Set(files.map(({ path }) => folderOf(path)));
    expect([...folders].filter((folder) => !(folder in MAY_IMPORT))).toEqual([]);
  });

  it('of packages are declared in package.json, or are Node itself', () => {
    const manifest = JSON.parse(readFileSync(join(source, '..', 'package.json'), 'utf8'));
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    const declared = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    const undeclared = files.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
        .map((specifier) =>
          specifier
            .split('/')
            .slice(0, specifier.startsWith('@') ? 2 : 1)
            .join('/'),
        )
        .filter((name) => !(name in declared))
        .map((name) => `${path} imports ${name}`),
    );
    expect(undeclared).toEqual([]);
  });

  it('do not go in circles at run time', () => {
    const graph = new Map(files.map(({ path, text }) => [path, runtimeImports(path, text)]));
    expect(findCircle(graph)).toBeUndefined();
  });
});

/** Without what only the compiler sees: `import type`, `export type`, and lists of nothing but types. */
function runtimeImports(path: string, text: string): string[] {
  const statements = text.matchAll(/^(?:import|export)\b(?! type\b)([^;]*?)from '(\.[^']+)';/gms);
  return [...statements]
    .filter(([, names = '']) => !/^\s*\{(?:\s*type [^,]+,?)+\s*\}\s*$/s.test(names))
    .map(([, , specifier = '']) => resolved(path, specifier));
}

function findCircle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of graph.get(path) ?? []) {
      const circle = visit(next, [...trail, path]);
      if (circle !== undefined) return circle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of graph.keys()) {
    const circle = visit(path, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

describe('files', () => {
  /** Lists and tables of types, which are read by looking up, not from top to bottom. */
  const TABLES = new Set([
    'index.ts',
    'protocol/content.ts',
    'protocol/control-requests.ts',
    'protocol/hook-inputs.ts',
  ]);
  /** Too long, and not to grow. */
  const OVERDUE: Record<string, number> = { 'client/conversation.ts': 320 };

  it('have at most 300 lines, tables of types aside', () => {
    const long = files
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ path, lines }) => lines > (OVERDUE[path] ?? 300) && !TABLES.has(path));
    expect(long).toEqual([]);
  });

  it('have no absolute path of a machine in them', () => {
    const root = relative('/', dirname(source));
    expect(files.filter(({ text }) => text.includes(`/${root}/`)).map(({ path }) => path)).toEqual([]);
  });
});
