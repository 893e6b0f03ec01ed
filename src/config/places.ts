import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { configDirectory, stateFile } from '../protocol/base/user-directories.js';

/**
 * Where a server can be configured, in order of precedence: for two with the same name, the first place
 * counts.
 */
export const MCP_PLACES = ['options', 'local', 'project', 'user', 'policy'] as const;

export type McpPlace = (typeof MCP_PLACES)[number];

/** A file that may configure servers. */
export interface McpConfigFile {
  place: McpPlace;
  path: string;
  /** Where in the file the servers are. */
  keys: readonly string[];
  /** The Claude Code CLI reads this file itself. */
  readByClaudeCode: boolean;
  /** Found from the working directory, not in the user's own: whoever may write there could have put it there. */
  isInCheckout: boolean;
}

export interface McpLocations {
  cwd: string;
  /** The environment of the agent: its HOME and CLAUDE_CONFIG_DIR determine where the user's files are. */
  env: Readonly<Record<string, string | undefined>>;
  /** Replaces `/etc`, for tests. */
  systemRoot?: string | undefined;
  /** Leaves out what the CLI reads above the root of the repository. */
  isWithinRoot?: boolean | undefined;
}

/** All files that may configure servers, in order of precedence. None of them needs to exist. */
export function configFiles(locations: McpLocations): McpConfigFile[] {
  const { env, systemRoot = '/etc', isWithinRoot = false } = locations;
  const cwd = resolve(locations.cwd);
  const root = projectRoot(cwd);
  const checkout = { readByClaudeCode: false, isInCheckout: true };
  const elsewhere = { readByClaudeCode: false, isInCheckout: false };
  const file = (
    place: McpPlace,
    path: string,
    flags: typeof checkout,
    keys = ['mcpServers'],
  ): McpConfigFile => ({
    place,
    path,
    keys,
    ...flags,
  });
  const state = { path: stateFile(env), flags: { ...elsewhere, readByClaudeCode: true } };
  const shared = { ...checkout, readByClaudeCode: true };
  const directories = directoriesUpFrom(cwd, isWithinRoot ? root : undefined);
  return [
    file('local', join(cwd, '.claude', 'mcp.local.json'), checkout),
    // In the root itself, the shared file belongs to the project.
    ...(cwd === root ? [] : [file('local', join(cwd, '.claude', 'mcp.json'), checkout)]),
    file('local', state.path, state.flags, ['projects', root, 'mcpServers']),
    file('project', join(root, '.claude', 'mcp.json'), checkout),
    ...directories.map((directory) => file('project', join(directory, '.mcp.json'), shared)),
    file('user', join(configDirectory(env), 'mcp.json'), elsewhere),
    file('user', state.path, state.flags),
    ...(process.platform === 'win32'
      ? []
      : [file('policy', join(systemRoot, 'claude', 'mcp.json'), elsewhere)]),
  ];
}

/** The root of the git repository that contains a directory, or the directory itself if there is none. */
function projectRoot(cwd: string): string {
  return directoriesUpFrom(cwd).find((directory) => existsSync(join(directory, '.git'))) ?? cwd;
}

/** The directory, its parent, and so on up to `last` or the top. */
function directoriesUpFrom(directory: string, last?: string): string[] {
  const parent = dirname(directory);
  return parent === directory || directory === last
    ? [directory]
    : [directory, ...directoriesUpFrom(parent, last)];
}
