// Where the CLI stores conversations: <config>/projects/<project key>/<session id>.jsonl

import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { configDirectory } from '../protocol/base/user-directories.js';
import { projectKeyOf } from './project-key.js';

type Environment = Readonly<Record<string, string | undefined>>;

export function projectsDirectory(env: Environment = process.env): string {
  return join(configDirectory(env), 'projects');
}

/** The key of a directory as the CLI sees it, with symbolic links resolved. */
export async function projectKeyAt(directory: string = process.cwd()): Promise<string> {
  return projectKeyOf(await canonical(directory));
}

export async function canonical(path: string): Promise<string> {
  const absolute = resolve(path);
  return realpath(absolute).catch(() => absolute);
}
