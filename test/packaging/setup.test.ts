/** `scripts/setup.mjs` in a project of its own: small enough that npm and the compiler take no time. */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url));

/** `installed` spares the tests that are not about npm its start. */
function project(state: 'fresh' | 'installed' = 'fresh'): Disposable & {
  path(name: string): string;
  write(name: string, content: string | object): void;
} {
  const root = mkdtempSync(join(tmpdir(), 'tenon-setup-'));
  const path = (name: string) => join(root, name);
  const write = (name: string, content: string | object) =>
    writeFileSync(path(name), typeof content === 'string' ? content : JSON.stringify(content));
  const manifest = { name: 'tiny', version: '1.0.0' };
  mkdirSync(path('src'));
  write('package.json', { ...manifest, private: true });
  write('package-lock.json', { ...manifest, lockfileVersion: 3, requires: true, packages: { '': manifest } });
  write('tsconfig.build.json', {
    compilerOptions: { rootDir: 'src', outDir: 'dist', module: 'nodenext', types: [], strict: true },
    include: ['src'],
  });
  write('src/index.ts', 'export const answer: number = 42;\n');
  if (state === 'installed') {
    mkdirSync(path('node_modules'));
    write('node_modules/.package-lock.json', { packages: {} });
  }
  return { path, write, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

async function setup(
  root: string,
  ...flags: string[]
): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, [script, '--root', root, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    output += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, output, errors };
}

const nothing = { code: 0, output: '', errors: '' };

it('installs and builds at first, then says nothing, and builds again what has changed', async () => {
  using tiny = project();
  const root = tiny.path('');
  const first = await setup(root, '--build');
  expect(first).toMatchObject({ code: 0, errors: '' });
  expect(first.output).toMatch(
    /^Installing the development tools .*…\nInstalling .* done in \d+ s\nBuilding Tenon …\nBuilding Tenon: done in \d+ s\n$/,
  );
  expect(existsSync(tiny.path('dist/index.js'))).toBe(true);
  expect(await setup(root, '--build')).toEqual(nothing);

  tiny.write('src/more.ts', 'export {};\n');
  expect((await setup(root, '--build')).output).toMatch(/^Building/);
  expect(existsSync(tiny.path('dist/more.js'))).toBe(true);

  rmSync(tiny.path('src/more.ts'));
  expect(await setup(root, '--build', '--quiet')).toEqual(nothing);
  expect(existsSync(tiny.path('dist/more.js'))).toBe(false);
});

it('shows the words of the compiler and exits with 1 when the build fails, again and again', async () => {
  using tiny = project('installed');
  tiny.write('src/index.ts', 'export const answer: number = "forty-two";\n');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { code, errors } = await setup(tiny.path(''), '--build', '--quiet');
    expect(code).toBe(1);
    expect(errors).toContain(
      "src/index.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.",
    );
    expect(errors).toContain('Correct the sources named above');
  }
});

it('says what to do when npm has no network', async () => {
  using tiny = project();
  const manifest = { name: 'tiny', version: '1.0.0', dependencies: { absent: '1.0.0' } };
  // Port 1: nobody listens there, so this is what an unreachable registry looks like.
  const absent = { version: '1.0.0', resolved: 'http://127.0.0.1:1/absent.tgz' };
  tiny.write('package.json', manifest);
  tiny.write('package-lock.json', {
    ...manifest,
    lockfileVersion: 3,
    packages: { '': manifest, 'node_modules/absent': absent },
  });
  tiny.write('.npmrc', 'fetch-retries=0\nnoproxy=127.0.0.1\n');
  const { code, errors } = await setup(tiny.path(''), '--quiet');
  expect(code).toBe(1);
  expect(errors).toContain('npm ci failed');
  expect(errors).toContain('npm could not reach its registry. Check the network');
});

it('leaves packages alone that were installed by hand and agree with the lock file', async () => {
  using tiny = project('installed');
  expect(await setup(tiny.path(''))).toEqual(nothing);
  expect(existsSync(tiny.path('node_modules/.tenon-setup'))).toBe(true);
});

it('does the work once when two run at the same time', async () => {
  using tiny = project();
  const runs = await Promise.all([setup(tiny.path(''), '--build'), setup(tiny.path(''), '--build')]);
  expect(runs.map((run) => run.code)).toEqual([0, 0]);
  expect(runs.filter((run) => run.output.includes('Building'))).toHaveLength(1);
  expect(existsSync(tiny.path('.cache/setup.lock'))).toBe(false);
});

it('takes over the lock of a process that died', async () => {
  using tiny = project('installed');
  mkdirSync(tiny.path('.cache/setup.lock'), { recursive: true });
  // Above the largest process number of any system.
  tiny.write('.cache/setup.lock/pid', '99999999');
  expect(await setup(tiny.path(''), '--build', '--quiet')).toEqual(nothing);
  expect(existsSync(tiny.path('dist/index.js'))).toBe(true);
});

it('links Tenon into the examples without a word, and installs what they use only when asked', async () => {
  using tiny = project('installed');
  mkdirSync(tiny.path('examples'));
  tiny.write('examples/package.json', { name: 'tiny-examples', private: true });
  expect(await setup(tiny.path(''))).toEqual(nothing);
  const link = tiny.path('examples/node_modules/tenon');
  expect(realpathSync(link)).toBe(realpathSync(tiny.path('')));
  expect(existsSync(tiny.path('examples/node_modules/.tenon-setup'))).toBe(false);

  rmSync(link);
  symlinkSync('../nowhere', link);
  expect(await setup(tiny.path(''))).toEqual(nothing);
  expect(realpathSync(link)).toBe(realpathSync(tiny.path('')));

  const { output } = await setup(tiny.path(''), '--examples');
  expect(output).toMatch(/^Installing what the examples use .*…\nInstalling .* done in \d+ s\n$/);
  expect(realpathSync(link)).toBe(realpathSync(tiny.path('')));
  expect(await setup(tiny.path(''), '--examples')).toEqual(nothing);
});

it('installs at once what has nothing to do with each other, and tells what failed when all are through', async () => {
  using tiny = project('installed');
  for (const folder of ['examples', 'test/runtimes']) {
    mkdirSync(tiny.path(folder), { recursive: true });
    tiny.write(`${folder}/package.json`, { name: 'tiny-part', private: true });
  }
  const flags = ['--examples', '--runtimes'];
  const first = await setup(tiny.path(''), ...flags);
  expect(first).toMatchObject({ code: 0, errors: '' });
  expect(first.output).toMatch(
    /^Installing Node 22.*\nInstalling what the examples use.*\nAll of these at once …\nAll of these at once: done in \d+ s\n$/,
  );
  expect(await setup(tiny.path(''), ...flags)).toEqual(nothing);

  tiny.write('test/runtimes/package.json', '{ broken');
  rmSync(tiny.path('test/runtimes/node_modules'), { recursive: true });
  rmSync(tiny.path('examples/node_modules'), { recursive: true });
  const second = await setup(tiny.path(''), ...flags);
  expect(second.code).toBe(1);
  expect(second.output).toContain('All of these at once: failed after');
  expect(second.errors).toMatch(/npm (ci|install) failed in/);
  expect(existsSync(tiny.path('examples/node_modules/.tenon-setup'))).toBe(true);
});
