/** The types of the package as npm would install it, seen by compilers of consumers (pain 20). */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const consumer = fileURLToPath(new URL('consumer', import.meta.url));
const official = join(root, 'test/reference/node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts');
const run = promisify(execFile);

let folder: string;

/** Puts the files that a release would have into a folder of its own, with nothing of this repository around it. */
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-consumer-')));
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  for (const { path } of files) {
    const target = join(folder, 'node_modules/tenon', path);
    await mkdir(dirname(target), { recursive: true });
    await cp(join(root, path), target);
  }
  const { dependencies = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  for (const name of ['@types/node', 'zod', ...Object.keys(dependencies)]) {
    const target = join(folder, 'node_modules', name);
    await mkdir(dirname(target), { recursive: true });
    await symlink(join(root, 'node_modules', name), target);
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await cp(consumer, folder, { recursive: true });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the compiler says; nothing when all is well. */
async function compile(files: string[], compilerOptions: object): Promise<string> {
  const config = join(folder, `tsconfig.${Math.random()}.json`);
  const common = {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    strict: true,
    noEmit: true,
  };
  await writeFile(config, JSON.stringify({ compilerOptions: { ...common, ...compilerOptions }, files }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  try {
    const { stdout } = await run(process.execPath, [tsc, '-p', config], { cwd: folder });
    return stdout;
  } catch (error) {
    const { stdout, message } = error as { stdout?: string; message: string };
    return stdout || message;
  }
}

const nodeNext = { module: 'nodenext', moduleResolution: 'nodenext', exactOptionalPropertyTypes: true };
const bundler = { module: 'esnext', moduleResolution: 'bundler' };
const asTenon = { '@anthropic-ai/claude-agent-sdk': ['./node_modules/tenon/dist/index.d.ts'] };
const asOfficial = { '@anthropic-ai/claude-agent-sdk': [official] };

describe.each([
  ['NodeNext', nodeNext],
  ['Bundler', bundler],
])('under %s', (_, resolution) => {
  it('the declarations are whole, nothing is any, mistakes are found, and programs for the official SDK compile', async () => {
    const files = ['messages.ts', 'tools.ts', 'program.ts', 'tool-inputs.ts', 'wrapping.ts'];
    expect(await compile(files, { ...resolution, skipLibCheck: false, paths: asTenon })).toBe('');
  });
});

// The official typings need packages that are not there for them, so their own errors are left out.
it('that program is one for the official SDK, and options and messages pass from one to the other', async () => {
  const files = ['program.ts', 'wrapping.ts', 'assignable.ts'];
  expect(await compile(files, { ...bundler, skipLibCheck: true, paths: asOfficial })).toBe('');
});

describe.each([
  ['the oldest', 'test/reference/older/node_modules'],
  ['the newest', 'node_modules'],
])("with %s @anthropic-ai/sdk that is supported as the consumer's own", (_, modules) => {
  it('messages are made from its values, and its functions take the messages', async () => {
    const peer = join(folder, 'node_modules/@anthropic-ai/sdk');
    await mkdir(dirname(peer), { recursive: true });
    await symlink(join(root, modules, '@anthropic-ai/sdk'), peer);
    try {
      const files = ['constructs.ts', 'messages.ts', 'program.ts', 'wrapping.ts'];
      expect(await compile(files, { ...nodeNext, skipLibCheck: true, paths: asTenon })).toBe('');
    } finally {
      await rm(peer);
    }
  });
});

it('mistakes are reported here, or all of this would prove nothing', async () => {
  await writeFile(
    join(folder, 'mistake.ts'),
    "import { query } from 'tenon';\nexport const turns: string = query({ prompt: 'x' }).pid;\n",
  );
  expect(await compile(['mistake.ts'], { ...nodeNext, skipLibCheck: true })).toMatch(/mistake\.ts.*TS2322/);
});

it('programs for the official SDK compile with the stand-in installed under its name', async () => {
  const standIn = join(folder, 'node_modules/@anthropic-ai/claude-agent-sdk');
  const command = join(folder, 'node_modules/tenon/dist/commands/bin.js');
  await run(process.execPath, [command, 'stand-in', standIn]);
  const imports = "import type { BashInput } from '@anthropic-ai/claude-agent-sdk/sdk-tools';\n";
  await writeFile(join(folder, 'named.ts'), `${imports}export const input: BashInput = { command: 'ls' };\n`);
  try {
    const files = ['named.ts', 'program.ts', 'wrapping.ts'];
    expect(await compile(files, { ...nodeNext, skipLibCheck: false })).toBe('');
  } finally {
    await rm(standIn, { recursive: true });
  }
});

it('an entry that is refused at run time does not compile where it is used', async () => {
  await writeFile(
    join(folder, 'refused.ts'),
    "import { attachBridgeSession } from 'tenon/bridge';\nexport const session = attachBridgeSession({});\n",
  );
  expect(await compile(['refused.ts'], { ...nodeNext, skipLibCheck: true })).toMatch(/refused\.ts.*TS2349/);
});

it('a consumer without zod compiles too', async () => {
  const zod = join(folder, 'node_modules/zod');
  await rm(zod);
  try {
    expect(await compile(['messages.ts'], { ...nodeNext, skipLibCheck: false })).toBe('');
  } finally {
    await symlink(join(root, 'node_modules/zod'), zod);
  }
});
