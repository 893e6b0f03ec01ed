/** Packages that were written for the official SDK, installed with Tenon in its place. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PATIENCE_MS } from '../../support/patience.js';

const isOfficial = process.env.ADOPT_OFFICIAL === '1';
const OFFICIAL_NAME = '@anthropic-ai/claude-agent-sdk';
const root = fileURLToPath(new URL('../../../', import.meta.url));
const packages = fileURLToPath(new URL('../', import.meta.url));

export interface Installation extends AsyncDisposable {
  /** Runs a program of `programs` there; what it prints last is JSON, its answer. */
  run(program: string, ...args: string[]): Promise<unknown>;
  /** The path of a file of an installed package. */
  file(...path: string[]): string;
}

/**
 * Lays out `node_modules` as `npm install` with an override does: the named packages, and this package's own files
 * under the official name. What they depend on is found one folder up, in `test/adoption`, where nothing else of that
 * name can be loaded.
 */
export function installWithTenon(...names: string[]): Promise<Installation> {
  return install((place) => copyTenon(place(OFFICIAL_NAME)), names);
}

/** The same with Tenon under its own name, and what `tenon stand-in` writes packed and installed by npm. */
export function installWithStandIn(...names: string[]): Promise<Installation> {
  return install(async (place) => {
    if (isOfficial) return copyTenon(place(OFFICIAL_NAME));
    const folder = join(place(''), '..');
    const npm = (...args: string[]) =>
      // npm is a batch file on Windows, which only a shell can start.
      promisify(execFile)('npm', args, { cwd: folder, shell: process.platform === 'win32' });
    await copyTenon(join(folder, 'tenon'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const command = join(folder, 'tenon/dist/commands/bin.js');
    await promisify(execFile)(process.execPath, [command, 'stand-in', './stand-in'], { cwd: folder });
    const { stdout } = await npm('pack', './stand-in', '--json');
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    // Tenon, its peer, is not on a registry; without this npm would look for it there.
    const flags = ['--offline', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
    await npm('install', ...flags, `./${filename}`);
    // Not before: npm removes what nobody asked for.
    await rename(join(folder, 'tenon'), place('tenon'));
  }, names);
}

async function install(
  provide: (place: (name: string) => string) => Promise<void>,
  names: readonly string[],
): Promise<Installation> {
  await mkdir(join(packages, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(packages, '.cache', 'installation-'));
  const place = (name: string) => join(folder, 'node_modules', name);
  await provide(place);
  for (const name of names) {
    await cp(join(packages, 'node_modules', name), place(name), { recursive: true });
  }
  await cp(join(packages, 'programs'), folder, { recursive: true });
  return {
    file: (...path) => join(place(''), ...path),
    run: async (program, ...args) => {
      const options = { timeout: PATIENCE_MS, maxBuffer: 2 ** 26 };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [join(folder, program), ...args],
        options,
      );
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** What is published and nothing else; with `ADOPT_OFFICIAL=1` the official SDK instead, to see what it does. */
async function copyTenon(destination: string): Promise<void> {
  if (isOfficial) {
    await cp(join(root, 'test/reference/node_modules', OFFICIAL_NAME), destination, { recursive: true });
    return;
  }
  const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { files: string[] };
  for (const name of ['package.json', ...files]) {
    await mkdir(dirname(join(destination, name)), { recursive: true });
    await cp(join(root, name), join(destination, name), { recursive: true });
  }
}
