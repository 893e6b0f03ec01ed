import { type ResolvedMcpConfig, resolveMcpConfig as resolve } from '../../config/resolve-mcp-config.js';
import { givenOptions } from '../../options/normalise.js';
import type { Options } from '../../options/options.js';
import { environmentOf } from './configured-servers.js';

/** The options that decide which MCP servers there are; others are ignored. */
export type ResolveMcpConfigOptions = Pick<
  Options,
  'mcpServers' | 'cwd' | 'env' | 'settingSources' | 'strictMcpConfig' | 'hermetic'
>;

/**
 * Which MCP servers an agent with these options will have, where each comes from, and what is wrong with the
 * configuration. With `strictMcpConfig` or `hermetic` an error throws `McpConfigError`.
 */
export function resolveMcpConfig(options: ResolveMcpConfigOptions = {}): ResolvedMcpConfig {
  const given = givenOptions(options, 'resolveMcpConfig');
  return resolve({ ...given, env: environmentOf(given) });
}
