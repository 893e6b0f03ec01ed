// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { rolldown } from 'rolldown';

/** The command is a program on top of the package: built apart from it, so that it does not change what others load. */
const ON_TOP = 'commands/';
/** What Node loads by its place, in a thread of its own. */
const LOADED_BY_PLACE = ['commands/tools-file/fresh-hooks', 'commands/tools-file/typescript-hooks'];

/**
 * Writes one readable file for each entry of the package, and one for what several of them share. A hundred small
 * files cost Node 50 ms and 6 MB more at import than these few (docs/decisions/0008-bundled-entries.md).
 *
 * @param {string} root
 */
export async function bundle(root) {
  const all = entries(root);
  const below = all.filter((name) => !name.startsWith(ON_TOP));
  const onTop = all.filter((name) => name.startsWith(ON_TOP));
  await write(root, below, { chunkFileNames: 'shared/[name].js', groups: parts(root) });
  if (onTop.length > 0) {
    const plugins = [importingEntries(root)];
    await write(root, onTop, { chunkFileNames: 'commands/shared/[name].js', plugins, groups: parts(root) });
  }
  // Apart from the others: what they share with Node's entries would bring Node's modules along.
  const portable = portableEntries(root);
  if (portable.length > 0) {
    const plugins = [preferringPortable()];
    await write(root, portable, {
      chunkFileNames: 'shared/portable/[name].js',
      platform: 'neutral',
      plugins,
    });
  }
}

/**
 * @param {string} root
 * @param {readonly string[]} names
 * @param {{ chunkFileNames: string, plugins?: import('rolldown').Plugin[], platform?: 'node' | 'neutral', groups?: import('rolldown').CodeSplittingGroup[] }} how
 */
async function write(root, names, { chunkFileNames, plugins = [], platform = 'node', groups = [] }) {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [name, `./src/${name}.ts`])),
    platform,
    // Packages stay packages: loaded when they are needed, and shared with the program that uses them.
    external: /^(?!\.|\/|src\/|[A-Za-z]:)/,
    tsconfig: false,
    plugins,
  });
  try {
    await build.write({
      dir: 'dist',
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames,
      // Whoever builds for the edge bundles again, and gets the names of the sources from the comments.
      sourcemap: platform === 'node',
      // The sources come with the package, beside the maps that point to them.
      sourcemapExcludeSources: true,
      codeSplitting: { groups },
      // They are in the sources, which come with the package and which debuggers show; here they cost 0.3 MB at import.
      comments: false,
    });
  } finally {
    await build.close();
  }
}

/**
 * What the root entry shares with others, by the folders that those may load. Left to itself the bundler makes a file for
 * each set of entries that share something, a dozen, and each costs Node more than half a millisecond.
 *
 * @type {readonly (readonly [name: string, folders: readonly string[], ...sharers: string[]])[]}
 */
const PARTS = [
  [
    'protocol',
    ['protocol'],
    'protocol/index',
    'testing/index',
    'inspector/index',
    'host/storage/postgres/index',
  ],
  ['sessions', ['sessions'], 'testing/index', 'host/storage/postgres/index'],
  ['common', ['authoring', 'config', 'mcp', 'options', 'protocol', 'sessions'], 'runtime/index'],
  // The rest, which is also wanted by what the root entry loads on demand.
  ['client', ['authoring', 'client', 'config', 'mcp', 'options', 'protocol', 'sessions'], 'index'],
];

/** Settings, and conversations in files. */
const KEPT = ['config', 'sessions'];

/**
 * @param {string} root
 * @returns {import('rolldown').CodeSplittingGroup[]}
 */
function parts(root) {
  const source = (/** @type {string} */ name) => join(root, 'src', `${name}.ts`);
  const inFolder = (/** @type {string} */ id, /** @type {readonly string[]} */ folders) =>
    folders.some((folder) => id.startsWith(join(root, 'src', folder) + sep));
  /** @type {import('rolldown').CodeSplittingGroup[]} */
  const shared = PARTS.map(([name, folders, ...sharers], index) => ({
    debugName: name,
    // The first has what several could have.
    priority: PARTS.length - index,
    name: (id, context) => {
      const isLoaded = inFolder(id, folders) && reachedFrom(source('index'), context).has(id);
      const isShared = sharers.some((sharer) => reachedFrom(source(sharer), context).has(id));
      return isLoaded && isShared ? name : null;
    },
  }));
  // What the runtime loads at once and the root entry on demand.
  return [
    ...shared,
    {
      debugName: 'kept',
      priority: 0,
      name: (id, context) =>
        inFolder(id, KEPT) && reachedFrom(source('runtime/index'), context).has(id) ? 'kept' : null,
    },
  ];
}

/** @type {WeakMap<import('rolldown').ChunkingContext, Map<string, Set<string>>>} */
const reached = new WeakMap();

/**
 * What is loaded with a module, without what it loads on demand.
 *
 * @param {string} entry
 * @param {import('rolldown').ChunkingContext} context
 */
function reachedFrom(entry, context) {
  const known = reached.get(context) ?? new Map();
  reached.set(context, known);
  const found = known.get(entry) ?? new Set([entry]);
  if (known.has(entry)) return found;
  known.set(entry, found);
  for (const id of found) for (const next of context.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

/**
 * Entries of the package are imported by their names, not copied: their classes and registries exist once.
 *
 * @param {string} root
 * @returns {import('rolldown').Plugin}
 */
function importingEntries(root) {
  const { name, exports, imports } = manifestOf(root);
  const names = new Map(
    [
      ...Object.entries(exports).map(([path, target]) => [name + path.slice(1), target]),
      ...Object.entries(imports),
    ]
      // Of two names for one entry the first counts.
      .reverse()
      .map(([specifier, target]) => [sourceOf(root, target), specifier]),
  );
  return {
    name: 'entries-stay-outside',
    resolveId(source, importer) {
      if (importer === undefined || !source.startsWith('.')) return null;
      const id = names.get(resolve(dirname(importer), source));
      return id === undefined ? null : { id, external: true };
    },
  };
}

/**
 * A file `x.portable.ts` beside `x.ts` takes its place where there is no Node.
 *
 * @returns {import('rolldown').Plugin}
 */
function preferringPortable() {
  return {
    name: 'portable-comes-first',
    resolveId(source, importer) {
      if (importer === undefined || !source.startsWith('.')) return null;
      const portable = resolve(dirname(importer), source.replace(/\.js$/, '.portable.ts'));
      return portable !== importer && existsSync(portable) ? portable : null;
    },
  };
}

/** @typedef {string | { workerd?: string, default: string }} Target */

/**
 * @param {string} root
 * @param {Target} target
 */
function sourceOf(root, target) {
  const path = typeof target === 'string' ? target : target.default;
  return join(root, path.replace(/^\.\/dist\//, 'src/'));
}

/**
 * @param {string} root
 * @returns {{ name: string, exports: Record<string, Target>, imports: Record<string, string>, bin: Record<string, string> }}
 */
function manifestOf(root) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { exports: { '.': './dist/index.js' }, imports: {}, bin: {}, ...manifest };
}

/**
 * The entries and programs of package.json, as paths without their ending.
 *
 * @param {string} root
 * @returns {string[]}
 */
function entries(root) {
  const { exports, imports, bin } = manifestOf(root);
  const targets = [...Object.values(exports), ...Object.values(imports), ...Object.values(bin)]
    .map((target) => (typeof target === 'string' ? target : target.default))
    .filter((target) => target.endsWith('.js'));
  const isThere = (/** @type {string} */ name) => existsSync(join(root, 'src', `${name}.ts`));
  const names = targets.map((target) => target.replace(/^\.\/dist\/|\.js$/g, ''));
  return [...new Set([...names, ...LOADED_BY_PLACE.filter(isThere)])];
}

/**
 * What the entries are where there is no Node.
 *
 * @param {string} root
 * @returns {string[]}
 */
function portableEntries(root) {
  const files = Object.values(manifestOf(root).exports).flatMap((target) =>
    typeof target === 'object' && target.workerd !== undefined ? [target.workerd] : [],
  );
  return [...new Set(files)].map((file) => file.replace(/^\.\/dist\/|\.js$/g, ''));
}
