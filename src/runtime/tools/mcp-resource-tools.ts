import { messageOf } from '../../protocol/base/errors.js';
import type { McpHub } from '../mcp/hub.js';
import { getPrompt, listPrompts, listResources, readResource } from '../mcp/listings.js';
import { failedOutcome, OWN_TOOL, type RuntimeTool, type ToolCall, type ToolOutcome } from './tool-port.js';

/** The agent's own tools for resources and prompts of servers, if any server has some. */
export function mcpResourceTools(hub: McpHub): RuntimeTool[] {
  return [
    ...(hub.having('resources').length === 0 ? [] : resourceTools(hub)),
    ...(hub.having('prompts').length === 0 ? [] : promptTools(hub)),
  ];
}

function resourceTools(hub: McpHub): RuntimeTool[] {
  return [
    readTool(
      'ListMcpResourcesTool',
      'Lists the resources of the MCP servers, or of one server: what can be read, with its URI.',
      { server: { type: 'string', description: 'a server; all of them when absent' } },
      [],
      async ({ input, signal }) => {
        const { resources, resourceTemplates, errors } = await listResources(
          hub,
          named(input.server),
          signal,
        );
        return [...resources, ...resourceTemplates, ...failed(errors)];
      },
    ),
    readTool(
      'ReadMcpResourceTool',
      'Reads a resource of an MCP server by its URI.',
      { server: { type: 'string' }, uri: { type: 'string' } },
      ['server', 'uri'],
      ({ input, signal }) => readResource(hub, String(input.server), String(input.uri), signal),
    ),
  ];
}

function promptTools(hub: McpHub): RuntimeTool[] {
  return [
    readTool(
      'ListMcpPrompts',
      'Lists the prompts that the MCP servers, or one server, have in store, with their arguments.',
      { server: { type: 'string', description: 'a server; all of them when absent' } },
      [],
      async ({ input, signal }) => {
        const { prompts, errors } = await listPrompts(hub, named(input.server), signal);
        return [...prompts, ...failed(errors)];
      },
    ),
    readTool(
      'GetMcpPrompt',
      'Gets a prompt of an MCP server, filled in with arguments.',
      {
        server: { type: 'string' },
        name: { type: 'string' },
        arguments: { type: 'object', additionalProperties: { type: 'string' } },
      },
      ['server', 'name'],
      ({ input, signal }) => {
        const args = (input.arguments ?? {}) as Record<string, string>;
        return getPrompt(hub, String(input.server), String(input.name), args, signal);
      },
    ),
  ];
}

function readTool(
  name: string,
  description: string,
  properties: Record<string, object>,
  required: string[],
  run: (call: ToolCall) => Promise<unknown>,
): RuntimeTool {
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, required },
    ...OWN_TOOL,
    run: async (call) => {
      try {
        return outcomeOf(await run(call));
      } catch (error) {
        if (call.signal.aborted) throw error;
        return failedOutcome(messageOf(error));
      }
    },
  };
}

function named(server: unknown): string | undefined {
  return typeof server === 'string' && server !== '' ? server : undefined;
}

/** A server that failed must not look like one that has nothing. */
function failed(errors: Record<string, string>): object[] {
  return Object.entries(errors).map(([server, error]) => ({ server, error }));
}

function outcomeOf(value: unknown): ToolOutcome {
  return { content: JSON.stringify(value), detail: value };
}
