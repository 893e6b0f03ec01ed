import { type ResolvedMcpConfig, resolveMcpConfig as resolve } from '../../config/resolve-mcp-config.js';
import type { Options } from '../options.js';
import { environmentOf } from './configured-servers.js';

/** What decides which MCP servers there are; a whole set of options may be given. */
export type ResolveMcpConfigOptions = Pick<
  Options,
  'mcpServers' | 'cwd' | 'env' | 'settingSources' | 'strictMcpConfig' | 'hermetic'
>;

/**
 * Which MCP servers an agent with these options will have, where each comes from, and what is wrong with the
 * configuration. With `strictMcpConfig` or `hermetic` an error throws `McpConfigError`.
 */
export function resolveMcpConfig(options: ResolveMcpConfigOptions = {}): ResolvedMcpConfig {
  return resolve({ ...options, env: environmentOf(options) });
}
