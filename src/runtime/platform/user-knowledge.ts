import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { trustIn } from '../../config/settings/trust.js';
import { configDirectory, homeDirectory } from '../../protocol/base/user-directories.js';
import type { KnowledgeFiles } from '../knowledge/files.js';
import type { UserKnowledge } from './platform.js';

export function userKnowledge(
  cwd: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): UserKnowledge {
  return {
    files: machineFiles,
    configDirectory: configDirectory(env),
    home: homeDirectory(env),
    ...trustIn(resolve(cwd), env),
  };
}

const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

const machineFiles: KnowledgeFiles = {
  read: (path, maxBytes) =>
    unlessMissing(async () => {
      const file = await open(path, 'r');
      try {
        const { size } = await file.stat();
        if (size > maxBytes) throw new Error(`it has ${size} bytes; at most ${maxBytes} are read.`);
        return { text: await file.readFile('utf8'), real: await realpath(path) };
      } finally {
        await file.close();
      }
    }),
  list: (directory) =>
    unlessMissing(async () => {
      const entries = await readdir(directory, { withFileTypes: true });
      return Promise.all(
        entries.map(async (entry) => ({
          name: entry.name,
          isDirectory:
            entry.isDirectory() ||
            (entry.isSymbolicLink() && (await isDirectory(join(directory, entry.name)))),
        })),
      );
    }),
};

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

async function unlessMissing<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (MISSING.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}
