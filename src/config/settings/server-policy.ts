import type { McpServerConfigForProcessTransport } from '../../mcp/types.js';
import { matchesWildcard } from '../../protocol/permissions/permission-rules.js';
import type { SettingsLayer } from './layer.js';

interface ServerEntry {
  serverName?: string;
  serverCommand?: string[];
  serverUrl?: string;
}

type Entries = readonly ServerEntry[];

/** Why a server may not be used, or undefined. */
export type ServerPolicy = (name: string, config: McpServerConfigForProcessTransport) => string | undefined;

/**
 * `deniedMcpServers` and `allowedMcpServers` of all sources; with `allowManagedMcpServersOnly` only the
 * policy can allow. In-process servers are part of the host and always allowed, as in the CLI.
 */
export function serverPolicy(layers: readonly SettingsLayer[]): ServerPolicy {
  const entries = (key: string, from: readonly SettingsLayer[]): Entries | undefined => {
    const lists = from.flatMap(({ settings }) => (settings[key] === undefined ? [] : [settings[key]]));
    return lists.length === 0 ? undefined : (lists.flat() as ServerEntry[]);
  };
  const managed = layers.filter(({ source }) => source === 'managed');
  const isManagedOnly = managed.some(({ settings }) => settings.allowManagedMcpServersOnly === true);
  const denied = entries('deniedMcpServers', layers) ?? [];
  const allowed = entries('allowedMcpServers', isManagedOnly ? managed : layers);
  return (name, config) => {
    if (config.type === 'sdk') return undefined;
    if (denied.some((entry) => matches(entry, name, config))) {
      return `The MCP server "${name}" is blocked by \`deniedMcpServers\` of the settings.`;
    }
    if (allowed === undefined || isAllowed(allowed, name, config)) return undefined;
    return `The MCP server "${name}" is blocked: \`allowedMcpServers\` of the settings does not name it.`;
  };
}

/** If commands or URLs are listed, a name alone is not enough: anyone can use it. */
function isAllowed(allowed: Entries, name: string, config: McpServerConfigForProcessTransport): boolean {
  const key = 'url' in config ? 'serverUrl' : 'serverCommand';
  const stricter = allowed.filter((entry) => entry[key] !== undefined);
  return (stricter.length > 0 ? stricter : allowed).some((entry) => matches(entry, name, config));
}

function matches(
  { serverName, serverCommand, serverUrl }: ServerEntry,
  name: string,
  config: McpServerConfigForProcessTransport,
): boolean {
  if (serverName !== undefined) return serverName === name;
  if (serverUrl !== undefined) return 'url' in config && matchesWildcard(serverUrl, config.url);
  if (serverCommand === undefined || !('command' in config)) return false;
  const command = [config.command, ...(config.args ?? [])];
  return (
    command.length === serverCommand.length && command.every((part, index) => part === serverCommand[index])
  );
}
