import { messageOf } from '../../protocol/errors.js';
import type { McpHub } from '../mcp/hub.js';
import { failedOutcome, type RuntimeTool, type ToolCall, type ToolOutcome } from './tool-port.js';

/** The agent's own tools for what servers have to read. They are there when some server has resources. */
export function mcpResourceTools(hub: McpHub): RuntimeTool[] {
  if (hub.withResources().length === 0) return [];
  return [
    readTool(
      'ListMcpResources',
      'Lists the resources of the MCP servers, or of one server: what can be read, with its URI.',
      { server: { type: 'string', description: 'a server; all of them when absent' } },
      [],
      ({ input, signal }) => list(hub, input.server, signal),
    ),
    readTool(
      'ReadMcpResource',
      'Reads a resource of an MCP server by its URI.',
      { server: { type: 'string' }, uri: { type: 'string' } },
      ['server', 'uri'],
      ({ input, signal }) => read(hub, String(input.server), String(input.uri), signal),
    ),
  ];
}

function readTool(
  name: string,
  description: string,
  properties: Record<string, object>,
  required: string[],
  run: (call: ToolCall) => Promise<ToolOutcome>,
): RuntimeTool {
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, required },
    annotations: { readOnlyHint: true },
    isReadOnly: true,
    needsNoPermission: true,
    server: undefined,
    policy: undefined,
    run: async (call) => {
      try {
        return await run(call);
      } catch (error) {
        if (call.signal.aborted) throw error;
        return failedOutcome(messageOf(error));
      }
    },
  };
}

async function list(hub: McpHub, server: unknown, signal: AbortSignal): Promise<ToolOutcome> {
  const names = typeof server === 'string' && server !== '' ? [server] : hub.withResources();
  const lists = await Promise.all(
    names.map(async (name) => {
      const { resources = [] } = await hub.required(name).client.request('resources/list', {}, { signal });
      return (resources as object[]).map((resource) => ({ ...resource, server: name }));
    }),
  );
  return said(lists.flat());
}

async function read(hub: McpHub, server: string, uri: string, signal: AbortSignal): Promise<ToolOutcome> {
  return said(await hub.required(server).client.request('resources/read', { uri }, { signal }));
}

function said(value: unknown): ToolOutcome {
  const content = JSON.stringify(value);
  return { content, isError: false, detail: content };
}
