/** What an import of the package loads: its own files, and nothing that it can do without. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const dist = new URL('../../dist/', import.meta.url).href;
const modules = new URL('../../node_modules/', import.meta.url).href;

/** Runs beside the program and writes down every module that Node loads for it. */
const WATCHER = `
import { writeSync } from 'node:fs';
export async function load(url, context, next) {
  writeSync(1, 'loaded ' + url + '\\n');
  return next(url, context);
}
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-entry-'));
  await writeFile(join(folder, 'watcher.mjs'), WATCHER);
  await writeFile(
    join(folder, 'register.mjs'),
    "import { register } from 'node:module';\nregister('./watcher.mjs', import.meta.url);\n",
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The URLs that a program loads, without those of Node itself and the program's own. */
async function loadedBy(program: string): Promise<string[]> {
  const main = join(folder, `main-${Math.random()}.mjs`);
  await writeFile(main, program);
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    join(folder, 'register.mjs'),
    main,
  ]);
  expect(stdout).toContain('the program has run');
  return [...stdout.matchAll(/^loaded (\S+)$/gm)]
    .map(([, url = '']) => url)
    .filter((url) => !url.startsWith('node:') && !url.includes('/main-'));
}

/** The sources that the loaded files were made of: the build notes each one where it begins. */
async function sourcesOf(urls: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(urls.map((url) => readFile(new URL(url), 'utf8')));
  const sources = texts.flatMap((text) => [...text.matchAll(/^\/\/ src\/(\S+)\.ts$/gm)]);
  return sources.map(([, path = '']) => path);
}

const importOf = (path: string) => `await import('${dist}${path}'); console.log('the program has run');`;
const outside = (urls: readonly string[]) => urls.filter((url) => !url.startsWith(dist));
const packagesIn = (urls: readonly string[]) => [
  ...new Set(outside(urls).map((url) => url.replace(modules, '').split('/').slice(0, 2).join('/'))),
];

/** Of the functions on conversations only their names are there, and a store that is a class. */
const SESSIONS = [
  'index',
  'memory-session-store',
  'session-conflict',
  'stores',
  'summary',
  'first-prompt',
].map((name) => `sessions/${name}`);

/** The built-in tools that need no workspace, and so none of the rest of its room. */
const FREE_TOOLS = ['ask-user-question', 'checked-input', 'web-fetch'].map(
  (name) => `workspace/tools/${name}`,
);

/** The fourth column: how many files it may be. Each costs more than half a millisecond, without any line being slow. */
const ENTRIES: [name: string, file: string, folders: string[], mostFiles: number, packages?: string[]][] = [
  [
    'tenon',
    'index.js',
    ['authoring/', 'client/', 'config/', 'mcp/', 'options/', 'protocol/', ...SESSIONS],
    5,
  ],
  [
    'tenon/core',
    'index.js',
    ['authoring/', 'client/', 'config/', 'mcp/', 'options/', 'protocol/', ...SESSIONS],
    5,
  ],
  ['tenon/protocol', 'protocol/index.js', ['protocol/'], 3],
  [
    'tenon/runtime',
    'runtime/index.js',
    ['runtime/', 'config/', 'mcp/', 'options/', 'protocol/', 'sessions/', ...FREE_TOOLS],
    11,
  ],
  ['tenon/model/anthropic', 'models/anthropic/anthropic.js', ['models/', 'runtime/', 'protocol/'], 4],
  ['tenon/model/ai-sdk', 'models/ai-sdk/ai-sdk.js', ['models/', 'runtime/', 'protocol/'], 5],
  ['tenon/workspace', 'workspace/index.js', ['workspace/', 'protocol/'], 4],
  [
    'tenon/host',
    'host/index.js',
    ['host/', 'authoring/', 'client/', 'config/', 'mcp/', 'options/', 'protocol/', 'sessions/'],
    9,
  ],
  ['tenon/host/postgres', 'host/storage/postgres/index.js', ['host/', 'protocol/', 'sessions/'], 5],
  ['tenon/inspect', 'inspector/index.js', ['inspector/ind', 'inspector/inspect', 'observe/', 'protocol/'], 5],
  ['tenon/otel', 'otel/index.js', ['otel/', 'options/tracer', 'protocol/'], 3, ['@opentelemetry/api']],
  [
    'tenon/testing',
    'testing/index.js',
    ['testing/', 'observe/', 'protocol/', 'runtime/model', 'sessions/'],
    6,
  ],
];

/** Refused at the import, or types only: official.test.ts has what there is to say about them. */
const WITHOUT_CODE = ['bridge', 'browser', 'extract', 'sdk-tools', 'sdk-tools.js'].map(
  (name) => `tenon/${name}`,
);

describe('importing', () => {
  it.each(ENTRIES)(
    '%s loads no package but the one that it is for, and only the folders that it stands for',
    async (_, entry, folders, mostFiles, packages = []) => {
      const loaded = await loadedBy(importOf(entry));
      expect(loaded).toContain(dist + entry);
      expect(packagesIn(loaded)).toEqual(packages);
      const urls = loaded.filter((url) => url.startsWith(dist));
      const sources = await sourcesOf(urls);
      expect(sources.length).toBeGreaterThan(0);
      expect(sources.filter((path) => !folders.some((name) => path.startsWith(name)))).toEqual([]);
      expect(urls.length).toBeLessThanOrEqual(mostFiles);
    },
  );
});

it('every entry of package.json is looked at above', async () => {
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const names = Object.keys(manifest.exports).filter((name) => name !== './package.json');
  expect(names.map((name) => name.replace(/^\./, 'tenon')).sort()).toEqual(
    [...ENTRIES.map(([name]) => name), ...WITHOUT_CODE].sort(),
  );
});

describe('defining a tool', () => {
  const define = (zod: string, more = '') => `
    const { tool, createSdkMcpServer } = await import('${dist}index.js');
    const z = await import('${modules}${zod}');
    const definition = tool('add', 'Adds', { a: z.number() }, ({ a }) => a);
    const server = createSdkMcpServer({ name: 's', tools: [definition] });
    await server.instance.listTools();
    ${more}
    console.log('the program has run');
  `;

  it('in zod 4 loads nothing but the zod of the program', async () => {
    const packages = packagesIn(await loadedBy(define('zod/index.js')));
    expect(packages.filter((name) => !name.startsWith('zod/'))).toEqual([]);
  });

  it('in zod 3 loads the converter, and it is loaded only then', async () => {
    const packages = packagesIn(await loadedBy(define('zod/v3/index.js')));
    expect(packages.some((name) => name.startsWith('zod-to-json-schema'))).toBe(true);
    expect(packages.filter((name) => !name.startsWith('zod'))).toEqual([]);
  });
});
