/** A clone installs what was tested, on every platform and from every registry. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../support/temporary.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const temporary = temporaryDirectory();

const FOLDERS = [
  '.',
  'bench/peers',
  'examples',
  'test/adoption',
  'test/providers',
  'test/chat',
  'test/reference',
  'test/reference/older',
  'test/runtimes',
];

it.each(FOLDERS)('npm ci accepts the lock file of %s, without asking a registry', async (folder) => {
  const place = copyOfManifests(folder);
  const flags = ['--dry-run', '--ignore-scripts', '--offline', '--cache', join(temporary, 'empty')];
  // npm is a batch file on Windows, which only a shell can start.
  const run = promisify(execFile)('npm', ['ci', ...flags], {
    cwd: place,
    shell: process.platform === 'win32',
  });
  const failure = await run.then(
    () => undefined,
    ({ stderr }: { stderr: string }) => stderr.replace(/^npm error (?!.*Missing).*$\n/gm, ''),
  );
  expect(failure, 'run `node scripts/complete-lock.mjs` if packages of other platforms are missing').toBe(
    undefined,
  );
});

it.each(FOLDERS)('the lock file of %s names no registry', (folder) => {
  const { packages } = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved?: string }>;
  };
  const addresses = Object.values(packages).flatMap(({ resolved }) =>
    resolved?.includes(':') ? resolved : [],
  );
  expect(addresses).toEqual([]);
});

/** What npm reads, and nothing else, so that no installed package plays a part. */
function copyOfManifests(folder: string): string {
  const place = join(temporary, folder === '.' ? 'root' : folder);
  const { workspaces = [] } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    workspaces?: string[];
  };
  const names = [
    'package.json',
    'package-lock.json',
    ...workspaces.map((name) => join(name, 'package.json')),
  ];
  for (const name of names) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    cpSync(join(root, folder, name), join(place, name));
  }
  return place;
}
