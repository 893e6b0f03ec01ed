import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import { messageOf, OptionError, TenonError } from '../../protocol/base/errors.js';
import { findRipgrep, runRipgrep } from '../search/ripgrep.js';
import { searchFiles } from '../search/search-files.js';
import type { DirectoryEntry, Located, SearchAnswer, SearchQuery, Workspace } from '../workspace.js';
import { checkedFiles } from './checked-files.js';
import { fileError } from './file-errors.js';
import type { FileAccess } from './files.js';
import { kindOf, locate } from './locate.js';
import { canPin, pinnedFiles } from './pinned-files.js';
import { startCommand } from './run-shell.js';
import { plainShell, type Shell } from './shell.js';

export interface LocalWorkspaceOptions {
  /**
   * What runs commands: `bash`, or `sh` where there is none, unless given. A string is another program that
   * understands `-c`. False: no commands, and the agent has no tool for them.
   */
  shell?: Shell | string | false | undefined;
}

/**
 * A folder of this machine. Commands run with the rights of this process; for less, give `shell: sandboxed()`. Paths
 * are not confined to the folder: permissions decide what the agent may touch.
 */
export function localWorkspace(root: string, { shell }: LocalWorkspaceOptions = {}): Workspace {
  const start = existing(root);
  const runner = shell === false ? undefined : typeof shell === 'object' ? shell : plainShell(shell);
  const workspace: Workspace = {
    root: start,
    home: portable(homedir()),
    locate: async (path): Promise<Located> => {
      try {
        const { real, kind } = await locate(resolve(start, path));
        return { real: portable(real), kind };
      } catch (error) {
        throw fileError(error, path);
      }
    },
    stat: (path) => used(path, (files, native) => files.stat(native)).catch(undefinedIfMissing),
    read: (path, options = {}) => used(path, (files, native) => files.read(native, options)),
    write: (path, content) => used(path, (files, native) => files.write(native, content)),
    append: (path, content) => used(path, (files, native) => files.append(native, content)),
    remove: (path) => used(path, (files, native) => files.remove(native)).catch(undefinedIfMissing),
    list: async (path) => {
      const entries = await used(path, (files, native) => files.list(native));
      return entries.map(
        (entry): DirectoryEntry => ({
          name: entry.name,
          kind: entry.isSymbolicLink() ? 'link' : kindOf(entry),
        }),
      );
    },
    search: (query, signal) => search(workspace, query, signal),
    ...(runner !== undefined && {
      exec: (command, options) => {
        const hold = () => used(options.cwd, (files, native) => files.hold(native));
        return startCommand({ shell: runner, root: start, hold }, command, options);
      },
    }),
  };
  return workspace;
}

/** By ripgrep, if there is one. A directory cannot be exchanged for a link before ripgrep is in it. */
async function search(workspace: Workspace, query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer> {
  const program = await findRipgrep();
  if (program === undefined) return searchFiles(workspace, query, signal);
  const isFile = (await workspace.stat(query.path))?.kind === 'file';
  const end = isFile ? query.path.lastIndexOf('/') : query.path.length;
  const directory = query.path.slice(0, end) || '/';
  const held = await used(directory, (files, native) => files.hold(native));
  try {
    const place = { directory: held.path, file: isFile ? query.path.slice(end + 1) : undefined };
    const { files, isCut } = await runRipgrep(program, query, place, signal);
    const start = directory.endsWith('/') ? directory : `${directory}/`;
    return { files: files.map((file) => ({ ...file, path: `${start}${file.path}` })), isCut };
  } finally {
    await held.release();
  }
}

function existing(root: string): string {
  try {
    return portable(realpathSync(root));
  } catch (error) {
    throw new OptionError(
      'root',
      root,
      `localWorkspace("${root}") needs a directory that exists: ${messageOf(error)}. Create it, or name another one.`,
    );
  }
}

let access: Promise<FileAccess> | undefined;

async function used<Value>(
  path: string,
  use: (files: FileAccess, native: string) => Promise<Value>,
): Promise<Value> {
  access ??= canPin().then((can) => (can ? pinnedFiles : checkedFiles));
  try {
    return await use(await access, sep === '/' ? path : path.replaceAll('/', sep));
  } catch (error) {
    throw fileError(error, path);
  }
}

function portable(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

function undefinedIfMissing(error: unknown): undefined {
  if (TenonError.is(error) && error.code === 'FILE_NOT_FOUND') return undefined;
  throw error;
}
