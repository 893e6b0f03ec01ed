import type { McpServerConfig, McpServerConfigForProcessTransport } from '../mcp/types.js';
import { configFiles, type McpConfigFile, type McpLocations } from './places.js';
import { readServers } from './read-servers.js';
import { type ResolvedMcpConfig, resolveServers } from './resolve-servers.js';
import type { Environment } from './variables.js';

export type { McpServerOrigin, ResolvedMcpConfig, ResolvedMcpServer } from './resolve-servers.js';

export interface ResolveMcpConfigOptions {
  mcpServers?: Record<string, McpServerConfig | McpServerConfigForProcessTransport> | undefined;
  /** Default: the working directory of this process. */
  cwd?: string | undefined;
  /**
   * The environment of the agent, for variables, HOME and CLAUDE_CONFIG_DIR. Default: that of this process.
   */
  env?: Environment | undefined;
  /** The places that are read, as in the options of a query. Absent: all. */
  settingSources?: readonly ('user' | 'project' | 'local')[] | undefined;
  /** Uses only `mcpServers`, and throws `McpConfigError` for any error. */
  strictMcpConfig?: boolean | undefined;
  /** Same as `strictMcpConfig`. */
  hermetic?: boolean | undefined;
}

/**
 * Determines which MCP servers an agent will have, where each comes from, and the problems of the
 * configuration.
 */
export function resolveMcpConfig(options: ResolveMcpConfigOptions = {}): ResolvedMcpConfig {
  return resolveFrom(options, filesFor(options));
}

/** The same for the runtime, which does not look above the root of the repository. */
export function resolveWithinRoot(options: ResolveMcpConfigOptions): ResolvedMcpConfig {
  return resolveFrom(options, filesFor(options, { isWithinRoot: true }));
}

/** The files that may be read with these options. */
export function filesFor(
  {
    cwd = process.cwd(),
    env = process.env,
    settingSources,
    strictMcpConfig,
    hermetic,
  }: ResolveMcpConfigOptions,
  locations: Pick<McpLocations, 'systemRoot' | 'isWithinRoot'> = {},
): McpConfigFile[] {
  if (strictMcpConfig || hermetic) return [];
  const isRead = ({ place }: McpConfigFile): boolean =>
    settingSources == null || place === 'policy' || settingSources.some((source) => source === place);
  return configFiles({ cwd, env, ...locations }).filter(isRead);
}

export function resolveFrom(
  { mcpServers, env = process.env, strictMcpConfig, hermetic }: ResolveMcpConfigOptions,
  files: readonly McpConfigFile[],
): ResolvedMcpConfig {
  const isStrict = strictMcpConfig || hermetic;
  const reads = files.map((file) => ({ file, ...readServers(file) }));
  return resolveServers({ mcpServers, env, isStrict }, reads);
}
