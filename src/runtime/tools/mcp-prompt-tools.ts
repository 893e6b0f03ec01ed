import type { McpHub } from '../mcp/hub.js';
import { getPrompt, listPrompts } from '../mcp/listings.js';
import { jsonOutcome, readingTool, serverNamed, troubles } from './mcp-reading-tool.js';
import type { RuntimeTool } from './tool-port.js';

/** The agent's own tools for the prompts of servers, if any server has some. */
export function mcpPromptTools(hub: McpHub): RuntimeTool[] {
  if (hub.having('prompts').length === 0) return [];
  return [
    readingTool({
      name: 'ListMcpPrompts',
      description:
        'Lists the prompts that the MCP servers, or one server, have in store, with their arguments.',
      properties: { server: { type: 'string', description: 'a server; all of them when absent' } },
      required: [],
      run: async ({ input, signal }) => {
        const { prompts, errors } = await listPrompts(hub, serverNamed(input.server), signal);
        return jsonOutcome([...prompts, ...troubles(errors)]);
      },
    }),
    readingTool({
      name: 'GetMcpPrompt',
      description: 'Gets a prompt of an MCP server, filled in with arguments.',
      properties: {
        server: { type: 'string' },
        name: { type: 'string' },
        arguments: { type: 'object', additionalProperties: { type: 'string' } },
      },
      required: ['server', 'name'],
      run: async ({ input, signal }) => {
        const args = (input.arguments ?? {}) as Record<string, string>;
        return jsonOutcome(await getPrompt(hub, String(input.server), String(input.name), args, signal));
      },
    }),
  ];
}
