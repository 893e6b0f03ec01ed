// Where the CLI keeps conversations: <config>/projects/<project key>/<session id>.jsonl

import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What is no id could be a path out of the folder, so it is never looked up. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

type Environment = Readonly<Record<string, string | undefined>>;

export function projectsDirectory(env: Environment = process.env): string {
  const home = env.HOME ?? env.USERPROFILE ?? homedir();
  return join(env.CLAUDE_CONFIG_DIR ?? join(home, '.claude'), 'projects');
}

/** The longest name before a hash takes the place of the rest: folders may have 255 bytes. */
const LONGEST = 200;

/** The name that the CLI gives to a directory's conversations. */
export function projectKeyOf(path: string): string {
  const name = path.normalize('NFC').replaceAll(/[^a-zA-Z0-9]/g, '-');
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST)}-${hashOf(path)}`;
}

/** The key of a directory as the CLI sees it: without symbolic links. */
export async function projectKeyAt(directory: string = process.cwd()): Promise<string> {
  return projectKeyOf(await canonical(directory));
}

export async function canonical(path: string): Promise<string> {
  const absolute = resolve(path);
  return realpath(absolute).catch(() => absolute);
}

function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) {
    hash = ((hash << 5) - hash + text.charCodeAt(index)) | 0;
  }
  return Math.abs(hash).toString(36);
}
