/** `tenon new`, followed literally with the package as it would be published. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ITS_PACKAGES, installBuilt } from '../support/built-package.js';
import { sandbox } from '../support/real-cli.js';
import { tenon } from './support/tenon.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const FILES = ['.gitignore', 'README.md', 'package.json', 'tools.js', 'tools.test.js'];

interface Outcome {
  code: number;
  output: string;
}

async function execute(
  command: string,
  args: readonly string[],
  cwd: string,
  env = process.env,
): Promise<Outcome> {
  const options = { cwd, env, shell: process.platform === 'win32' };
  return promisify(execFile)(command, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error) => ({ code: error.code, output: `${error.stdout}${error.stderr}` }),
  );
}

const NO_REGISTRY = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;

it('makes a project whose npm test passes offline with the packed package', async ({ skip }) => {
  await using box = sandbox();
  const { code, stdout } = await tenon(['new', 'my shop'], { cwd: box.cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('npm install\n  npm test\n') });
  const folder = join(box.cwd, 'my shop');
  expect((await readdir(folder)).sort()).toEqual(FILES);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: 'my-shop', dependencies: { tenon: `^${version}` } });

  await execute('npm', ['pack', '--ignore-scripts', '--pack-destination', box.cwd], root);
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const installed = await execute('npm', ['install', ...flags, `../tenon-${version}.tgz`], folder);
  if (installed.code !== 0 && NO_REGISTRY.test(installed.output)) skip('npm cannot reach its registry');
  expect(installed).toMatchObject({ code: 0 });

  // Nothing listens there: whoever wants the network fails.
  const nowhere = 'http://127.0.0.1:1';
  const offline = { ...process.env, HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, ANTHROPIC_BASE_URL: nowhere };
  const tested = await execute('npm', ['test'], folder, offline);
  expect(tested.output).toMatch(/pass 2\b/);
  expect(tested.code).toBe(0);

  // A test that cannot fail would be no help: the tool is broken, and the test says so.
  await writeFile(
    join(folder, 'tools.js'),
    readFileSync(join(folder, 'tools.js'), 'utf8').replace("['hammer', 7]", "['hammer', 8]"),
  );
  expect((await execute('npm', ['test'], folder, offline)).code).not.toBe(0);

  // The program of the package, without esbuild and without a CLI beside it.
  const command = join(folder, 'node_modules', '.bin', 'tenon');
  expect((await execute(command, ['--version'], folder)).output).toBe(`${version}\n`);
  const bare = { PATH: process.env.PATH, HOME: box.home };
  await writeFile(join(folder, 'typed.ts'), 'export const a: number = 1;\n');
  const typed = await execute(command, ['serve', './typed.ts', '--stdio'], folder, bare);
  const readsTypes = 'typescript' in process.features && process.features.typescript !== false;
  expect(typed.output).toContain(readsTypes ? 'exports no tools' : 'npm install --save-dev esbuild');
  const keyed = { ...bare, ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: nowhere };
  const run = await execute(command, ['run', 'Hello', '--runtime', 'embedded'], folder, keyed);
  expect(run).toMatchObject({ code: 1, output: expect.stringContaining('cannot be reached') });
});

it('with --worker makes a worker whose bundle answers with the messages of an agent (R47)', async () => {
  await using box = sandbox();
  const { stdout } = await tenon(['new', 'shop', '--worker', '--json'], { cwd: box.cwd });
  const folder = join(box.cwd, 'shop');
  const { files } = JSON.parse(stdout);
  expect([...files].sort()).toEqual((await readdir(folder)).sort());
  const { scripts, dependencies, devDependencies } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  expect(Object.keys(scripts)).toEqual(['build', 'start', 'test']);

  // All that it names, but workerd, which `npm run test:runtimes` runs it under.
  const { workerd: _, ...tools } = devDependencies;
  const { tenon: __, ...packages } = dependencies;
  const names = Object.keys({ ...packages, ...tools }).map((name) => name.replace(/\/.*/, ''));
  await installBuilt(folder, [...names, ...ITS_PACKAGES]);
  expect(await execute('npm', ['run', 'build'], folder)).toMatchObject({ code: 0 });
  const worker = (await import(pathToFileURL(join(folder, 'dist', 'worker.js')).href)).default;
  const response = await worker.fetch(
    new Request('http://shop.invalid/', { method: 'POST', body: 'Do we have hammers?' }),
    {},
  );
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events: string[] = (await response.text()).trimEnd().split('\n\n');
  expect(events.at(0)).toMatch(/^event: message\ndata: \{"type":"system","subtype":"init"/);
  expect(events.at(-1)).toContain('"result":"The tool says: hammer: 7 in stock."');
});

it('writes into an empty folder or a fresh repository, and into no other', async () => {
  await using box = sandbox();
  await mkdir(join(box.cwd, '.git'));
  const here = await tenon(['new', '.', '--json'], { cwd: box.cwd });
  expect(JSON.parse(here.stdout)).toMatchObject({ type: 'created', folder: box.cwd });
  const again = await tenon(['new', '.'], { cwd: box.cwd });
  expect(again.code).toBe(2);
  expect(again.stderr).toMatch(/"\." is not empty \(.*\)\. Choose another folder\./);
  const file = await tenon(['new', 'package.json'], { cwd: box.cwd });
  expect(file.stderr).toContain('"package.json" cannot be used: ENOTDIR');
});
