// The small repository that the agent works in: in memory, in a folder of its own, or there with commands in a sandbox.

import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { localWorkspace, memoryWorkspace, sandboxed } from 'tenon/workspace';

const source = fileURLToPath(new URL('repository', import.meta.url));

/**
 * @typedef {import('tenon/workspace').Workspace} Workspace
 * @typedef {{ workspace: Workspace, close(): Promise<void> }} Repository
 */

/** @returns {Promise<Repository>} */
export async function inMemory() {
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(
    paths.map(async (path) => [relative(source, path), await readFile(path, 'utf8')]),
  );
  return { workspace: memoryWorkspace(Object.fromEntries(files)), close: async () => {} };
}

/**
 * A copy, which is removed afterwards.
 *
 * @param {{ isolated: boolean }} how
 * @returns {Promise<Repository>}
 */
export async function inFolder({ isolated }) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-repository-')));
  const close = () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  try {
    await cp(source, folder, { recursive: true });
    if (!isolated) return { workspace: localWorkspace(folder), close };
    const shell = sandboxed();
    // Says at once if this machine cannot isolate, and not when the agent has begun.
    await shell.verify();
    return { workspace: localWorkspace(folder, { shell }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Every file of a workspace, as a folder that programs can work in.
 *
 * @template Result
 * @param {Workspace} workspace
 * @param {(folder: string) => Promise<Result>} use
 * @returns {Promise<Result>}
 */
export async function asFolder(workspace, use) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-repository-')));
  try {
    await copyInto(folder, workspace, workspace.root);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/**
 * @param {string} folder
 * @param {Workspace} workspace
 * @param {string} directory
 */
async function copyInto(folder, workspace, directory) {
  for (const { name, kind } of await workspace.list(directory)) {
    const path = `${directory}/${name}`;
    if (kind === 'directory') await copyInto(folder, workspace, path);
    if (kind !== 'file') continue;
    const target = join(folder, relative(workspace.root, path));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, await workspace.read(path));
  }
}
