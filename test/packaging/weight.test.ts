/** What an installation weighs: the packages and bytes that users carry (pain 50). */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installBuilt } from '../support/built-package.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Locked {
  dependencies?: Record<string, string>;
}

/** The folders that npm installs for somebody who depends on this package and leaves out what is optional. */
async function installedFolders(): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const packages = lock.packages as Record<string, Locked>;
  const found = new Set<string>();
  const visit = (name: string, from: string): void => {
    for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      if (packages[path] !== undefined) {
        if (found.has(path)) return;
        found.add(path);
        for (const dependency of Object.keys(packages[path].dependencies ?? {})) visit(dependency, path);
        return;
      }
      if (folder === '') throw new Error(`${name} is not in the lock file.`);
    }
  };
  for (const name of Object.keys(packages['']?.dependencies ?? {})) visit(name, '');
  return [...found];
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    // A package in a package is counted under its own name.
    .filter((path) => !path.slice(folder.length).includes('/node_modules/'));
  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

it('an installation without what is optional has at most 17 packages and 27 MB', async () => {
  const folders = await installedFolders();
  const sizes = await Promise.all([
    ...folders.map((folder) => bytesIn(join(root, folder))),
    bytesIn(join(root, 'dist')),
    bytesIn(join(root, 'src')),
  ]);
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
  // With the package itself.
  expect(folders.length + 1, folders.join(', ')).toBeLessThanOrEqual(17);
  expect(megabytes).toBeLessThan(27);
});

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-weight-'));
  await installBuilt(folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it('serveHttp without the library that was left out says what to install', async () => {
  const program = `
    import { createSdkMcpServer, serveHttp } from 'tenon';
    await serveHttp(createSdkMcpServer({ name: 's' })).catch((error) => console.log(error.code, error.message));
  `;
  await writeFile(join(folder, 'http.mjs'), program);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'http.mjs')]);
  expect(stdout).toContain('PACKAGE_NOT_FOUND serveHttp() needs the package "@modelcontextprotocol/server"');
  expect(stdout).toContain('npm install @modelcontextprotocol/server');
});

it('serveStdio works without it', async () => {
  const program = `
    import { createSdkMcpServer, serveStdio } from 'tenon';
    await (await serveStdio(createSdkMcpServer({ name: 's' }))).closed;
  `;
  await writeFile(join(folder, 'stdio.mjs'), program);
  const running = promisify(execFile)(process.execPath, [join(folder, 'stdio.mjs')]);
  running.child.stdin?.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  expect(JSON.parse((await running).stdout)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
});
