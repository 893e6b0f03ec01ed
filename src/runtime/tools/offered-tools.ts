import type { McpHub } from '../mcp/hub.js';
import type { Permissions } from '../permissions.js';
import { mcpResourceTools } from './mcp-resource-tools.js';
import type { RuntimeTool } from './tool-port.js';

/**
 * Built-in and MCP tools as one list, with one tool per name: built-in ones win over those of servers, and an earlier
 * server over a later one. `builtIn` names the agent's own tools that there are; what servers bring is not in it.
 */
export function offeredTools(
  hub: McpHub,
  permissions: Permissions,
  structuredOutput: RuntimeTool | undefined,
  builtIn: readonly string[] | undefined,
): RuntimeTool[] {
  const byName = new Map<string, RuntimeTool>();
  if (structuredOutput !== undefined) byName.set(structuredOutput.name, structuredOutput);
  const own = mcpResourceTools(hub).filter(({ name }) => builtIn === undefined || builtIn.includes(name));
  for (const tool of [...own, ...hub.tools()]) {
    if (!byName.has(tool.name) && !permissions.isRemoved(tool)) byName.set(tool.name, tool);
  }
  return [...byName.values()];
}
