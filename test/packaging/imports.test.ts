/** The direction of imports, and the size of files: the shape of the source is held by tests, not by memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
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
  authoring: ['mcp', 'protocol'],
  client: ['authoring', 'config', 'mcp', 'observe', 'options', 'protocol', 'sessions'],
  // A program on top of everything; nothing may import it.
  commands: ['', 'client', 'inspector', 'mcp', 'models', 'observe', 'protocol', 'runtime', 'testing'],
  config: ['mcp', 'protocol'],
  // Many conversations in one program, and where they are kept.
  host: ['client', 'mcp', 'options', 'protocol', 'sessions'],
  // The server and the page that show runs; the page itself only what needs neither Node nor a browser.
  inspector: ['mcp', 'observe', 'options', 'protocol'],
  mcp: ['protocol'],
  models: ['protocol'],
  // Recordings: how they are written, read and played. The client loads it when something is recorded.
  observe: ['options', 'protocol'],
  // OpenTelemetry, for who installs its API.
  otel: ['mcp', 'options', 'protocol'],
  // What a query is asked for, and what becomes of it: for both halves.
  options: ['mcp', 'protocol'],
  protocol: [],
  runtime: ['config', 'mcp', 'options', 'protocol', 'sessions', 'workspace'],
  sessions: ['protocol'],
  testing: ['host', 'observe', 'protocol', 'sessions', 'workspace'],
  workspace: ['protocol'],
  '': ['authoring', 'client', 'config', 'mcp', 'options', 'protocol', 'sessions'],
};

/**
 * Models and built-in tools implement ports of the runtime and know nothing else of it; the wire names the types of MCP that it
 * carries, and rules of permissions the names of MCP tools.
 */
const ALSO: readonly { from: string; to: string }[] = [
  { from: 'models/', to: 'runtime/model.ts' },
  { from: 'models/', to: 'runtime/model-events.ts' },
  { from: 'runtime/bin.ts', to: 'models/anthropic/anthropic.ts' },
  { from: 'runtime/bin.ts', to: 'models/anthropic/http-fetch.ts' },
  { from: 'testing/', to: 'runtime/model.ts' },
  { from: 'runtime/bin.ts', to: 'workspace/adapters/local.ts' },
  { from: 'workspace/tools/', to: 'runtime/tools/built-ins.ts' },
  { from: 'workspace/tools/', to: 'runtime/tools/tool-port.ts' },
  { from: 'workspace/tools/', to: 'runtime/tools/tool-source.ts' },
  { from: 'workspace/tools/', to: 'runtime/tasks/task.ts' },
  { from: 'workspace/tools/', to: 'runtime/tasks/task-notice.ts' },
  { from: 'protocol/', to: 'mcp/types.ts' },
  { from: 'protocol/wire/', to: 'mcp/listings.ts' },
  { from: 'protocol/wire/', to: 'mcp/status.ts' },
  { from: 'protocol/permissions/', to: 'mcp/tool-names.ts' },
  { from: 'observe/run/', to: 'mcp/tool-names.ts' },
];

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

  it('go in one direction only: protocol knows nobody, nobody but a command knows testing', () => {
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
    // The page has its packages inside, because browsers load it.
    const inside = { ...declared, 'lit-html': '', '@preact/signals-core': '' };
    const undeclared = files.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
        .map((specifier) =>
          specifier
            .split('/')
            .slice(0, specifier.startsWith('@') ? 2 : 1)
            .join('/'),
        )
        .filter((name) => !(name in (path.startsWith('inspector/page/') ? inside : declared)))
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
function runtimeImports(path: string, text: string, kind: RegExp = /^\./): string[] {
  const statements = code(text).matchAll(
    /^(?:import|export)\b(?! type\b)(?:([^;'=]*?)from )?\s*'([^']+)';/gms,
  );
  return [...statements]
    .filter(([, names = '']) => !/^\s*\{(?:\s*type [^,]+,?)+\s*\}\s*$/s.test(names))
    .map(([, , specifier = '']) => specifier)
    .filter((specifier) => kind.test(specifier))
    .map((specifier) => (specifier.startsWith('.') ? resolved(path, specifier) : specifier));
}

function code(text: string): string {
  return text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

/**
 * What `exports` of package.json names for `workerd` runs where there is no Node. Whoever needs a `node:` module adds what it
 * does to a port and to both of its adapters: runtime/platform/platform.ts, or client/launch/machine.ts. What works
 * without the module too may ask for it at run time: protocol/base/host-process.ts.
 */
describe('the portable entries (R47)', () => {
  const manifest = JSON.parse(readFileSync(join(source, '..', 'package.json'), 'utf8'));
  const targets = Object.values(manifest.exports as Record<string, string | Record<string, string>>);
  const portable = targets.flatMap((target) => (typeof target === 'string' ? [] : (target.workerd ?? [])));
  const entries = [...new Set(portable)].map((path) => path.replace(/^\.\/dist\/(.*)\.js$/, '$1.ts'));
  const texts = new Map(files.map(({ path, text }) => [path, text]));

  /** A file `x.portable.ts` is built in place of `x.ts` (scripts/lib/bundle.mjs). */
  const inItsPlace = (path: string): string => {
    const portable = path.replace(/\.ts$/, '.portable.ts');
    return texts.has(portable) ? portable : path;
  };

  /** Files that are loaded on demand themselves, and the package that each of them imports. */
  const LOADED_ON_DEMAND: Record<string, string> = {
    'authoring/schema/zod-4-conversion.ts': 'zod/v4/core',
    'mcp/upstream/remote-transport.ts': '@modelcontextprotocol/client',
    'models/anthropic/messages-client.ts': 'eventsource-parser',
    'runtime/permissions/commands/shell-line.ts': 'unbash',
  };

  it('are known to this test', () => {
    expect(entries).toEqual([
      'portable.ts',
      'host/portable.ts',
      'models/anthropic/portable.ts',
      'models/ai-sdk/portable.ts',
      'runtime/portable.ts',
      'workspace/portable.ts',
    ]);
    expect(entries.filter((entry) => !texts.has(entry))).toEqual([]);
  });

  it.each(entries)('%s reaches no module of Node, and no package before it is needed', (entry) => {
    const trails = new Map([[entry, [entry]]]);
    const wrong: string[] = [];
    for (const [path, trail] of trails) {
      const text = texts.get(path) ?? '';
      const statics = runtimeImports(path, text, /^[^.]/);
      // A bundler takes along what is loaded on demand.
      const lazy = [...code(text).matchAll(/\bimport\(\s*'([^']+)'/g)].map(([, specifier = '']) => specifier);
      const isWrong = (specifier: string): boolean => specifier.startsWith('node:') || isBuiltin(specifier);
      for (const specifier of [...statics, ...lazy.filter(isWrong)]) {
        if (LOADED_ON_DEMAND[path] === specifier) continue;
        wrong.push(`${specifier} <- ${trail.toReversed().join(' <- ')}`);
      }
      const next = [
        ...runtimeImports(path, text),
        ...lazy.filter((each) => each.startsWith('.')).map((each) => resolved(path, each)),
      ];
      for (const each of next.map(inItsPlace)) if (!trails.has(each)) trails.set(each, [...trail, each]);
    }
    expect(wrong).toEqual([]);
    expect(trails.size).toBeGreaterThan(3);
  });
});

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
  /** Lists and tables, which are read by looking up, not from top to bottom. */
  const TABLES = new Set([
    'index.ts',
    'options/option-table.ts',
    'protocol/base/limits.ts',
    'protocol/wire/content.ts',
    'protocol/wire/control-requests.ts',
    'protocol/wire/hook-inputs.ts',
  ]);

  it('have at most 300 lines, tables aside', () => {
    const long = files
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ path, lines }) => lines > 300 && !TABLES.has(path));
    expect(long).toEqual([]);
  });

  it('take time and chance from the clock port, and from nowhere else (R68)', () => {
    // What a person types at or looks at, and what tests are made with, runs in real time.
    const exempt = /^(commands|testing|inspector\/page)\/|^protocol\/base\/clock\.ts$/;
    const direct =
      /(?<![.\w])(?:setTimeout|setInterval|setImmediate|clearTimeout|clearInterval)\(|\bDate\.now\(|new Date\(\)|performance\.now\(|Math\.random\(|randomUUID|process\.(?:uptime|hrtime)|node:timers/;
    const code = (text: string) => text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/\/\/.*$/gm, '');
    const wrong = files.filter(({ path, text }) => !exempt.test(path) && direct.test(code(text)));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('take how long to wait from the limits, and from nowhere else (R68)', () => {
    // What a person types at or looks at, and what tests are made with, has its own.
    const exempt = /^(commands|testing|inspector\/page)\/|^protocol\/base\/(limits|clock)\.ts$/;
    const duration = /\b(?:\w+_(?:MS|S|SECONDS) =|\w*(?:Ms|Delay|Timeout)[:=] ?)\s*[1-9]/;
    const wrong = files.flatMap(({ path, text }) =>
      exempt.test(path) ? [] : (duration.exec(code(text))?.map((found) => `${path}: ${found}`) ?? []),
    );
    expect(wrong).toEqual([]);
  });

  it('have no absolute path of a machine in them', () => {
    const root = relative('/', dirname(source));
    expect(files.filter(({ text }) => text.includes(`/${root}/`)).map(({ path }) => path)).toEqual([]);
  });
});
