import type { JsonRpcMessage, McpServerConfigForProcessTransport } from '../../mcp/types.js';
import { isRecord } from '../../protocol/base/kinds.js';
import {
  flagField,
  invalidField,
  numberField,
  optionalText,
  type Received,
  recordField,
  textField,
} from '../../protocol/channel/received-fields.js';
import type { HostRequestFields } from '../../protocol/wire/control-requests.js';
import type { ControlHandlers } from '../conversation/control-handlers.js';
import type { McpHub } from './hub.js';
import { callTool, getPrompt, listPrompts, listResources, readResource } from './listings.js';

/** Requests of the host about the MCP servers. */
export function mcpControlHandlers(hub: McpHub): ControlHandlers {
  return {
    mcp_status: () => ({ mcpServers: hub.status() }),
    mcp_reconnect: (fields) => hub.reconnect(textField(fields, 'serverName')),
    mcp_toggle: (fields) => hub.toggle(textField(fields, 'serverName'), flagField(fields, 'enabled')),
    mcp_message: (fields) => {
      const connection = hub.required(textField(fields, 'server_name'));
      connection.receive(recordField(fields, 'message') as JsonRpcMessage);
    },
    mcp_set_servers: (fields) => hub.set(serverConfigs(fields)),
    mcp_call: (fields, signal) => callTool(hub, toolCall(fields), signal),
    mcp_list_resources: (fields, signal) => listResources(hub, optionalText(fields, 'serverName'), signal),
    mcp_read_resource: (fields, signal) =>
      readResource(hub, textField(fields, 'serverName'), textField(fields, 'uri'), signal),
    mcp_list_prompts: (fields, signal) => listPrompts(hub, optionalText(fields, 'serverName'), signal),
    mcp_get_prompt: (fields, signal) =>
      getPrompt(
        hub,
        textField(fields, 'serverName'),
        textField(fields, 'name'),
        promptArguments(fields),
        signal,
      ),
  };
}

function toolCall(fields: Received<HostRequestFields<'mcp_call'>>): Parameters<typeof callTool>[1] {
  return {
    tool: textField(fields, 'tool'),
    ...(fields.arguments == null ? {} : { arguments: recordField(fields, 'arguments') }),
    ...(fields.timeout_ms == null ? {} : { timeout_ms: numberField(fields, 'timeout_ms') }),
  };
}

/** Only checks that each is an object; the answer reports other errors by the name of the server. */
function serverConfigs(
  fields: Received<HostRequestFields<'mcp_set_servers'>>,
): Record<string, McpServerConfigForProcessTransport> {
  const servers = recordField(fields, 'servers');
  if (!Object.values(servers).every(isRecord)) invalidField(fields, 'servers', 'an object for each server');
  return servers as Record<string, McpServerConfigForProcessTransport>;
}

function promptArguments(fields: Received<HostRequestFields<'mcp_get_prompt'>>): Record<string, string> {
  if (fields.arguments == null) return {};
  const args = recordField(fields, 'arguments');
  if (!Object.values(args).every((value) => typeof value === 'string')) {
    invalidField(fields, 'arguments', 'strings by name');
  }
  return args as Record<string, string>;
}
