import { parseRule } from '../../protocol/permissions/permission-rules.js';
import { currentToolName, hostToolName } from '../../protocol/wire/names.js';
import { RUNTIME_CAPABILITIES, RUNTIME_VERSION } from '../start/runtime-config.js';
import type { RuntimeTool } from '../tools/tool-port.js';
import type { AgentConversation } from './conversation.js';
import type { SystemLines } from './written-lines.js';

/**
 * As in the CLI: the agent's own in the order of their names, or in that of the agent that leads the conversation, then
 * those of servers.
 */
function toolNames(
  tools: readonly Pick<RuntimeTool, 'name' | 'server'>[],
  chosen: readonly string[] = [],
): string[] {
  const order = chosen.map((text) => currentToolName(parseRule(text).tool));
  const own = tools
    .filter(({ server }) => server === undefined)
    .map(({ name }) => name)
    .sort((a, b) => order.indexOf(a) - order.indexOf(b) || (a < b ? -1 : 1));
  const others = tools.filter(({ server }) => server !== undefined).map(({ name }) => name);
  return [...own, ...others].map(hostToolName);
}

/** What the first line of a turn tells the host about the agent. */
export function initFields(
  { tools, model, permissions, knowledge, subagents }: AgentConversation,
  cwd: string,
): SystemLines['init'] {
  return {
    cwd,
    tools: toolNames(tools.all(), subagents.leader?.tools),
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
