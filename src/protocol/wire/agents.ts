// Definitions that travel to the agent in `initialize`.

import type { McpServerConfigForProcessTransport } from '../../mcp/types.js';
import type { PermissionMode } from '../permissions/permissions.js';
import type { EffortLevel } from './control-payloads.js';

/** The name of a server known to the session, or the agent's own server definitions. */
export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;

export type AgentDefinition = {
  description: string;
  prompt: string;
  tools?: string[] | undefined;
  disallowedTools?: string[] | undefined;
  model?: string | undefined;
  mcpServers?: AgentMcpServerSpec[] | undefined;
  criticalSystemReminder_EXPERIMENTAL?: string | undefined;
  skills?: string[] | undefined;
  initialPrompt?: string | undefined;
  maxTurns?: number | undefined;
  autoCompactWindow?: number | undefined;
  background?: boolean | undefined;
  omitClaudeMd?: boolean | undefined;
  memory?: 'user' | 'project' | 'local' | undefined;
  effort?: EffortLevel | number | undefined;
  permissionMode?: PermissionMode | undefined;
  observer?: string | undefined;
  observerMessage?: string | undefined;
};

export type SdkPluginConfig = {
  type: 'local';
  path: string;
  skipMcpDiscovery?: boolean | undefined;
};
