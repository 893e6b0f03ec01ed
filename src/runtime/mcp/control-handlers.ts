import type { McpCallRequest } from '../../protocol/control-requests.js';
import type { JsonRpcMessage, McpServerConfigForProcessTransport } from '../../protocol/mcp.js';
import type { ControlHandlers } from '../control-handlers.js';
import type { McpHub } from './hub.js';
import { callTool, getPrompt, listPrompts, listResources, readResource } from './listings.js';

/** What the host may ask of the MCP servers. */
export function mcpControlHandlers(hub: McpHub): ControlHandlers {
  return {
    mcp_status: () => ({ mcpServers: hub.status() }),
    mcp_reconnect: ({ serverName }) => hub.reconnect(String(serverName)),
    mcp_toggle: ({ serverName, enabled }) => hub.toggle(String(serverName), enabled === true),
    mcp_message: ({ server_name, message }) => {
      hub.required(String(server_name)).receive(message as JsonRpcMessage);
      return undefined;
    },
    mcp_set_servers: ({ servers }) => hub.set(servers as Record<string, McpServerConfigForProcessTransport>),
    mcp_call: (fields, signal) => callTool(hub, fields as McpCallRequest, signal),
    mcp_list_resources: ({ serverName }, signal) => listResources(hub, text(serverName), signal),
    mcp_read_resource: ({ serverName, uri }, signal) =>
      readResource(hub, String(serverName), String(uri), signal),
    mcp_list_prompts: ({ serverName }, signal) => listPrompts(hub, text(serverName), signal),
    mcp_get_prompt: ({ serverName, name, arguments: args }, signal) =>
      getPrompt(hub, String(serverName), String(name), args as Record<string, string>, signal),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
