import { RUNTIME_CAPABILITIES, RUNTIME_VERSION } from './runtime-config.js';
import type { RuntimeSession } from './session.js';

/** What the first line of a turn tells the host of the agent. */
export function initFields({ tools, model, permissions }: RuntimeSession, cwd: string): object {
  return {
    cwd,
    tools: tools.all().map(({ name }) => name),
    mcp_servers: tools.hub.status().map(({ name, status, source }) => ({ name, status, source })),
    model: model.fullName,
    permissionMode: permissions.mode,
    slash_commands: [],
    apiKeySource: 'none',
    claude_code_version: RUNTIME_VERSION,
    output_style: 'default',
    agents: [],
    skills: [],
    plugins: [],
    capabilities: RUNTIME_CAPABILITIES,
  };
}
