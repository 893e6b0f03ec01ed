import type {
  McpSdkServerConfigWithInstance,
  McpServerConfig,
  McpServerConfigForProcessTransport,
} from '../../mcp/types.js';
import { OptionError } from '../../protocol/base/errors.js';
import { redactConfig } from '../../protocol/base/redact-config.js';

export type ProcessServerConfig = Exclude<McpServerConfigForProcessTransport, { type: 'sdk' }>;

/** Servers that the agent connects to itself, and those in this process. */
export interface SplitServers {
  process: Record<string, ProcessServerConfig>;
  inProcess: Record<string, McpSdkServerConfigWithInstance>;
  /**
   * Names that the agent also finds in a file but must not use from there. Announcing them as ours prevents
   * that.
   */
  contested: string[];
}

export function splitServers(servers: Record<string, McpServerConfig> = {}): SplitServers {
  const split: SplitServers = { process: {}, inProcess: {}, contested: [] };
  for (const [name, config] of Object.entries(servers)) {
    if (config === undefined) continue;
    if (isInProcess(name, config)) split.inProcess[name] = config;
    else split.process[name] = checkedProcessServer(name, config);
  }
  return split;
}

function isInProcess(name: string, config: McpServerConfig): config is McpSdkServerConfigWithInstance {
  if (typeof config !== 'object' || config === null) throw invalid(name, config, 'is not an object');
  if (config.type !== 'sdk') return false;
  if (typeof config.instance?.connect !== 'function') {
    throw invalid(name, config, 'has type "sdk" but no `instance`; make one with createSdkMcpServer()');
  }
  return true;
}

function checkedProcessServer(name: string, config: ProcessServerConfig): ProcessServerConfig {
  if (config.type === 'http' || config.type === 'sse') {
    if (typeof config.url !== 'string')
      throw invalid(name, config, `has type "${config.type}" but no \`url\``);
    // It would silently get lost on the way to the agent.
    if (typeof config.headers === 'function') {
      throw invalid(name, config, 'has a function as `headers`; give it to embedded({ mcpAuth })');
    }
  } else if (config.type === undefined || config.type === 'stdio') {
    // The CLI silently drops such an entry.
    if (typeof config.command !== 'string') throw invalid(name, config, 'has no `command`');
  } else {
    const { type } = config as { type: unknown };
    throw invalid(name, config, `has the unknown type ${JSON.stringify(type)}`);
  }
  return config;
}

function invalid(name: string, value: unknown, problem: string): OptionError {
  return new OptionError(
    `mcpServers.${name}`,
    typeof value === 'object' && value !== null ? redactConfig(value) : value,
    `mcpServers: the server "${name}" ${problem}. Expected { command, args?, env? }, ` +
      '{ type: "http" | "sse", url, headers? }, or a value of createSdkMcpServer().',
  );
}
