/** Everything that a program can import from the official SDK can be imported from Tenon, and fits (issue 6). */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { DIFFERENT_SHAPES, type Direction } from './official-shapes.js';

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const entry = createRequire(new URL('../reference/package.json', import.meta.url)).resolve(
  '@anthropic-ai/claude-agent-sdk',
);
const typings = entry.replace(/\.mjs$/, '.d.ts');
const declarations = await readFile(typings, 'utf8');
const declared = [
  ...declarations.matchAll(/^export declare (type|interface|class|function|const) (\w+)(<?)/gm),
].map(([, kind = '', name = '', generic]) => ({ kind, name, isGeneric: generic !== '' }));
const ours = new Map(
  (await readFile(join(root, 'api/index.txt'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string])
    .map(([kind, name]) => [name, kind]),
);
const isValue = (kind: string): boolean => kind === 'class' || kind === 'function' || kind === 'const';

describe('the names', () => {
  it('are read from the typings', () => {
    expect(declared.length).toBeGreaterThan(250);
    expect(declared.filter(({ kind }) => isValue(kind)).length).toBeGreaterThan(30);
  });

  it('of all types and values that the typings declare are exported', () => {
    expect(declared.map(({ name }) => name).filter((name) => !ours.has(name))).toEqual([]);
    const values = declared.filter(({ kind }) => isValue(kind)).map(({ name }) => name);
    expect(values.filter((name) => ours.get(name) !== 'value')).toEqual([]);
  });

  it('of all values that the package exports are exported, but for those that its typings do not know', async () => {
    const theirs = Object.keys(await import(pathToFileURL(entry).href));
    const known = new Set(declared.map(({ name }) => name));
    expect(theirs.filter((name) => !ours.has(name) && known.has(name))).toEqual([]);
    const undocumented = theirs.filter((name) => !known.has(name));
    expect(undocumented).toEqual([
      'CommandMatcher',
      'DirectConnectError',
      'DirectConnectTransport',
      'FileIndex',
      'parseDirectConnectUrl',
    ]);
  });

  it('of its other entry for a core are among them', async () => {
    const core = await readFile(join(typings, '../core.d.ts'), 'utf8');
    const names = [...core.matchAll(/^ {2}(\w+),$/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => ours.get(name) !== 'value')).toEqual([]);
  });
});

/** Every type, in both directions; what does not fit is told by the compiler, line by line. */
async function misfits(
  names: readonly string[],
  theirs: string,
  ourEntry: string,
  isExact = false,
): Promise<Map<string, Direction[]>> {
  const folder = await mkdtemp(join(root, '.cache', 'shapes-'));
  const lines = names.flatMap((name) => [
    `export type FromOfficial_${name} = Fits<official.${name}, tenon.${name}>;`,
    `export type ToOfficial_${name} = Fits<tenon.${name}, official.${name}>;`,
    // Whatever is \`any\` would fit everywhere.
    `export type Any_${name} = Fits<IsAny<tenon.${name}>, false>;`,
    // A field that one of the two lacks would fit in both directions if it is optional.
    ...(isExact
      ? [
          `export type Lacks_${name} = Fits<Whole<tenon.${name}>, Whole<official.${name}>>;`,
          `export type Adds_${name} = Fits<Whole<official.${name}>, Whole<tenon.${name}>>;`,
        ]
      : []),
  ]);
  const head = [
    `import type * as official from '${theirs.replace(/\.d\.ts$/, '.js')}';`,
    `import type * as tenon from '${join(root, ourEntry)}';`,
    'type Fits<From extends Into, Into> = From;',
    'type IsAny<T> = 0 extends 1 & T ? true : false;',
    'type Whole<T> = T extends object ? { [K in keyof T]-?: Whole<T[K]> } : T;',
  ];
  try {
    await writeFile(join(folder, 'shapes.ts'), [...head, ...lines].join('\n'));
    const compilerOptions = {
      module: 'nodenext',
      moduleResolution: 'nodenext',
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['shapes.ts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const output = await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      maxBuffer: 64 * 1024 * 1024,
    }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
    const found = new Map<string, Direction[]>();
    for (const [, line = '0'] of output.matchAll(/shapes\.ts\((\d+),\d+\): error/g)) {
      const [, direction = '', name = ''] =
        /export type (\w+?)_(\w+)/.exec(lines[Number(line) - head.length - 1] ?? '') ?? [];
      const key = (
        { FromOfficial: 'from', ToOfficial: 'to', Any: 'any', Lacks: 'lacks', Adds: 'adds' } as const
      )[direction];
      if (key === undefined) throw new Error(`Unexpected: ${output.slice(0, 500)}`);
      found.set(name, [...new Set([...(found.get(name) ?? []), key])]);
    }
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('the shapes', () => {
  it('fit in both directions, but for those that differ for a reason', async () => {
    const types = declared.filter(
      ({ kind, isGeneric }) => (kind === 'type' || kind === 'interface') && !isGeneric,
    );
    const found = await misfits(
      types.map(({ name }) => name),
      typings,
      'dist/index.js',
    );
    const expected = new Map(DIFFERENT_SHAPES.map(({ name, directions }) => [name, [...directions]]));
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
    expect(DIFFERENT_SHAPES.filter(({ reason }) => reason.length < 20)).toEqual([]);
  });
});

describe("the entry for the inputs and outputs of the CLI's own tools", () => {
  it('has the names of the official one, in the same shapes', async () => {
    const theirs = join(typings, '../sdk-tools.d.ts');
    const names = [...(await readFile(theirs, 'utf8')).matchAll(/^export (?:type|interface) (\w+)/gm)].map(
      ([, name = '']) => name,
    );
    expect(names.length).toBeGreaterThan(85);
    const listed = (await readFile(join(root, 'api/sdk-tools.txt'), 'utf8')).trim().split('\n');
    expect(listed).toEqual(names.map((name) => `type ${name}`).sort());
    expect(Object.fromEntries(await misfits(names, theirs, 'dist/sdk-tools.js', true))).toEqual({});
  });
});

describe('the other entries', () => {
  it('of the official package are all there, or refused', async () => {
    const exportsOf = async (file: string) =>
      Object.keys(JSON.parse(await readFile(file, 'utf8')).exports as Record<string, unknown>);
    const theirs = await exportsOf(join(typings, '../package.json'));
    const own = await exportsOf(join(root, 'package.json'));
    expect(theirs.filter((name) => !own.includes(name))).toEqual([]);
  });

  it.each([
    ['bridge', 'bridge.d.ts', /claude\.ai.*Tenon has no counterpart/],
    ['browser', 'browser-sdk.d.ts', /`transport`/],
    ['extract', 'extractFromBunfs.d.ts', /pathToClaudeCodeExecutable/],
  ])('/%s says at the import what it is, and what to do instead', async (entry, file, remedy) => {
    const text = await readFile(join(typings, '..', file), 'utf8');
    const names = [
      ...[...text.matchAll(/^export (?:declare )?(?:function|const) (\w+)/gm)].map(([, name = '']) => name),
      ...[...text.matchAll(/^export \{ ([^}]*) \}/gm)].flatMap(([, list = '']) => list.split(', ')),
    ];
    expect(names).not.toEqual([]);
    // A name that is not there would be a SyntaxError, and nobody would read the sentence.
    const program = `import { ${names.join(', ')} } from 'tenon/${entry}'; console.log(${names.join(', ')});`;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { cwd: root },
    ).catch((error: { stdout: string; stderr: string }) => error);
    expect(stdout).toBe('');
    expect(stderr).toContain("code: 'NOT_SUPPORTED'");
    expect(stderr).toMatch(remedy);
  });
});
