import { openUpstream } from '../../authoring/proxy/upstream-link.js';
import { checkConfig, type ProxiedServerConfig } from '../../authoring/proxy/upstream-transport.js';
import { LIMITS } from '../../protocol/limits.js';
import type { McpServerSource } from './mcp-server-connection.js';

/** A server outside: a program that is started here, or one behind a URL. */
export function processSource(name: string, config: ProxiedServerConfig): McpServerSource {
  checkConfig(config);
  return {
    name,
    transport: config.type ?? 'stdio',
    source: 'dynamic',
    timeoutMs: config.timeout,
    policies: 'tools' in config ? (config.tools ?? []) : [],
    manifest: undefined,
    open: async (client, gone) => {
      const upstream = { name, config, connectTimeoutMs: LIMITS.proxyConnectMs };
      const link = await openUpstream(upstream, {
        message: (message) => client.receive(message),
        closed: (error) => gone(error ?? new Error(`The MCP server "${name}" has ended.`)),
      });
      return { send: async (message) => link.send(message), close: async () => link.close() };
    },
  };
}
