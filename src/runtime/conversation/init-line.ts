import { RUNTIME_CAPABILITIES, RUNTIME_VERSION } from '../start/runtime-config.js';
import type { AgentConversation } from './conversation.js';
import type { SystemLines } from './written-lines.js';

/** As in the CLI: by the name that hosts have always known. */
const shownName = ({ name }: { name: string }): string => (name === 'Agent' ? 'Task' : name);

/** What the first line of a turn tells the host about the agent. */
export function initFields(
  { tools, model, permissions, knowledge, subagents }: AgentConversation,
  cwd: string,
): SystemLines['init'] {
  return {
    cwd,
    tools: tools.all().map(shownName),
    mcp_servers: tools.hub
      .status()
      .map(({ name, status, source }) => ({ name, status, ...(source === undefined ? {} : { source }) })),
    model: model.fullName,
    permissionMode: permissions.mode,
    slash_commands: knowledge.commandNames,
    apiKeySource: 'none',
    claude_code_version: RUNTIME_VERSION,
    output_style: knowledge.styleName,
    agents: subagents.infos.map(({ name }) => name),
    skills: knowledge.skillNames,
    plugins: knowledge.plugins.map(({ name, path, version }) => ({
      name,
      path,
      source: `${name}@inline`,
      ...(version === undefined ? {} : { version }),
    })),
    ...(knowledge.pluginErrors.length === 0 ? {} : { plugin_errors: [...knowledge.pluginErrors] }),
    capabilities: [...RUNTIME_CAPABILITIES],
  };
}
