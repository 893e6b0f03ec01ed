import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

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
}

export interface McpLocations {
  cwd: string;
  /** The environment of the agent: its HOME and CLAUDE_CONFIG_DIR determine where the user's files are. */
  env: Readonly<Record<string, string | undefined>>;
  /** Replaces `/etc`, for tests. */
  systemRoot?: string | undefined;
}

/** All files that may configure servers, in order of precedence. None of them needs to exist. */
export function configFiles({ cwd: given, env, systemRoot = '/etc' }: McpLocations): McpConfigFile[] {
  const cwd = resolve(given);
  const root = projectRoot(cwd);
  const home = env.HOME ?? env.USERPROFILE;
  const own = (place: McpPlace, ...path: string[]): McpConfigFile => ({
    place,
    path: join(...path),
    keys: ['mcpServers'],
    readByClaudeCode: false,
  });
  const cli = (place: McpPlace, path: string, ...keys: string[]): McpConfigFile => ({
    place,
    path,
    keys,
    readByClaudeCode: true,
  });
  const configDir = env.CLAUDE_CONFIG_DIR ?? (home === undefined ? undefined : join(home, '.claude'));
  const state = env.CLAUDE_CONFIG_DIR ?? home;
  return [
    own('local', cwd, '.claude', 'mcp.local.json'),
    // In the root itself, the shared file belongs to the project.
    ...(cwd === root ? [] : [own('local', cwd, '.claude', 'mcp.json')]),
    ...(state === undefined
      ? []
      : [cli('local', join(state, '.claude.json'), 'projects', root, 'mcpServers')]),
    own('project', root, '.claude', 'mcp.json'),
    ...directoriesUpFrom(cwd).map((directory) => cli('project', join(directory, '.mcp.json'), 'mcpServers')),
    ...(configDir === undefined ? [] : [own('user', configDir, 'mcp.json')]),
    ...(state === undefined ? [] : [cli('user', join(state, '.claude.json'), 'mcpServers')]),
    ...(process.platform === 'win32' ? [] : [own('policy', systemRoot, 'claude', 'mcp.json')]),
  ];
}

/** The root of the git repository that contains a directory, or the directory itself if there is none. */
function projectRoot(cwd: string): string {
  return directoriesUpFrom(cwd).find((directory) => existsSync(join(directory, '.git'))) ?? cwd;
}

/** The directory, its parent, and so on up to the root. */
function directoriesUpFrom(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...directoriesUpFrom(parent)];
}
