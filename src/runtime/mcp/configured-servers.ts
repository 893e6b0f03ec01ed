import { describeProblem } from '../../config/problems.js';
import { type ResolvedMcpServer, resolveMcpConfig } from '../../config/resolve-mcp-config.js';
import type { McpServerConfigForProcessTransport } from '../../protocol/mcp.js';
import type { RuntimeStart } from '../runtime-config.js';

/** A server, or why there is none. `source`: where it was configured. */
export type ConfiguredServer = (McpServerConfigForProcessTransport | { error: Error }) & { source?: string };

/** The servers that the command line and the configuration files name. With `--strict-mcp-config` any error throws. */
export function configuredServers({
  flags,
  cwd,
  env,
  onStderr,
}: RuntimeStart): { name: string; config: ConfiguredServer }[] {
  const { mcpServers, settingSources, strictMcpConfig } = flags;
  const { servers, problems } = resolveMcpConfig({ mcpServers, settingSources, strictMcpConfig, cwd, env });
  for (const problem of problems) onStderr?.(`tenon: ${describeProblem(problem)}\n`);
  return Object.values(servers).map((server) => ({ name: server.name, config: configOf(server) }));
}

function configOf({ name, origin, config, error }: ResolvedMcpServer): ConfiguredServer {
  const source = origin.place === 'options' ? {} : { source: origin.place };
  if (config !== undefined) return { ...(config as McpServerConfigForProcessTransport), ...source };
  const reason = error === undefined ? `The MCP server "${name}" cannot be used.` : describeProblem(error);
  return { error: new Error(reason), ...source };
}
