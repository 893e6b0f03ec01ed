import { RUNTIME_CAPABILITIES, RUNTIME_VERSION } from '../start/runtime-config.js';
import type { RuntimeTool } from '../tools/tool-port.js';
import type { AgentConversation } from './conversation.js';
import type { SystemLines } from './written-lines.js';

/** As in the CLI: by the name that hosts have always known. */
const shownName = ({ name }: { name: string }): string => (name === 'Agent' ? 'Task' : name);

/**
 * As in the CLI: the agent's own in the order of their names, or in that of the agent that leads the conversation, then
 * those of servers.
 */
function toolNames(
  tools: readonly Pick<RuntimeTool, 'name' | 'server'>[],
  chosen: readonly string[] | undefined,
): string[] {
  const own = tools.filter(({ server }) => server === undefined).map(shownName);
  const others = tools.filter(({ server }) => server !== undefined).map(shownName);
  const place = (name: string): number => chosen?.indexOf(name) ?? 0;
  // The list of names begins with the agents' tool, which is sorted by its other name.
  const sortedName = (name: string): string => (name === 'Task' ? 'Agent' : name);
  own.sort((a, b) => place(a) - place(b) || (sortedName(a) < sortedName(b) ? -1 : 1));
  return [...own, ...others];
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
