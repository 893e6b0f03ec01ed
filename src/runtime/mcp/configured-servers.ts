import { describeProblem } from '../../config/problems.js';
import type { ResolvedMcpServer } from '../../config/resolve-servers.js';
import type { McpServerConfigForProcessTransport } from '../../mcp/types.js';
import type { Platform } from '../platform/platform.js';
import type { ConversationSettings } from '../settings/conversation-settings.js';
import type { RuntimeStart } from '../start/runtime-config.js';

/** A server's configuration, or why it is unusable. `source` says where it comes from. */
export type ConfiguredServer = (McpServerConfigForProcessTransport | { error: Error }) & { source?: string };

/** The servers in the options and the configuration files. With `strictMcpConfig`, any error throws. */
export function configuredServers(
  platform: Platform,
  { flags, cwd, env, onStderr }: RuntimeStart,
  settings: ConversationSettings,
): { name: string; config: ConfiguredServer }[] {
  const { mcpServers, settingSources, strictMcpConfig } = flags;
  const { servers, problems } = platform.resolveServers({
    mcpServers,
    settingSources,
    strictMcpConfig,
    cwd,
    env,
  });
  for (const problem of problems) onStderr?.(`tenon: ${describeProblem(problem)}\n`);
  return Object.values(servers).flatMap((server) => {
    const { name } = server;
    if (isDisabled(server, settings)) return [];
    const config = configOf(server);
    const blocked = 'error' in config ? undefined : settings.serverProblem(name, config);
    if (blocked === undefined) return [{ name, config }];
    onStderr?.(`tenon: ${blocked}\n`);
    return [];
  });
}

function isDisabled({ name, origin }: ResolvedMcpServer, settings: ConversationSettings): boolean {
  const isMcpJson = origin.file?.endsWith('.mcp.json') === true;
  return isMcpJson && settings.disabledMcpjsonServers.includes(name);
}

function configOf({ name, origin, config, error }: ResolvedMcpServer): ConfiguredServer {
  const source = origin.place === 'options' ? {} : { source: origin.place };
  if (config !== undefined) return { ...(config as McpServerConfigForProcessTransport), ...source };
  const reason = error === undefined ? `The MCP server "${name}" cannot be used.` : describeProblem(error);
  return { error: new Error(reason), ...source };
}
