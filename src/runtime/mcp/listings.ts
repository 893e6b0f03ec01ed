import type { McpServerConnection } from '../../mcp/client/server-connection.js';
import { METHOD_NOT_FOUND } from '../../mcp/json-rpc/codes.js';
import { JsonRpcFault } from '../../mcp/json-rpc/fault.js';
import type {
  McpGetPromptResult,
  McpListPromptsResult,
  McpListResourcesResult,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
} from '../../mcp/listings.js';
import type { CallToolResult } from '../../mcp/types.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { SDKControlMcpReadResourceResponse } from '../../protocol/wire/control-payloads.js';
import type { McpCallRequest } from '../../protocol/wire/control-requests.js';
import type { McpHub } from './hub.js';

/** Asks one server, which must answer, or all that have some, and reports those that do not answer. */
async function ofServers<Lists>(
  hub: McpHub,
  serverName: string | undefined,
  kind: 'resources' | 'prompts',
  ask: (connection: McpServerConnection) => Promise<Lists>,
): Promise<{ lists: Lists[]; errors: Record<string, string> }> {
  if (serverName !== undefined) return { lists: [await ask(hub.required(serverName))], errors: {} };
  const errors: Record<string, string> = {};
  const lists = await Promise.all(
    hub.having(kind).map(async (connection) => {
      try {
        return [await ask(connection)];
      } catch (error) {
        errors[connection.source.name] = messageOf(error);
        return [];
      }
    }),
  );
  return { lists: lists.flat(), errors };
}

/** As the server lists it; which server that is, the agent adds. */
type Listed<Item extends { server: string }> = Omit<Item, 'server'>;

function withServer<Item extends object>(
  items: readonly Item[],
  server: string,
): (Item & { server: string })[] {
  return items.map((item) => ({ ...item, server }));
}

export async function listResources(
  hub: McpHub,
  serverName?: string,
  signal?: AbortSignal,
): Promise<McpListResourcesResult> {
  const { lists, errors } = await ofServers(hub, serverName, 'resources', async (connection) => {
    const [resources, templates] = await Promise.all([
      connection.list<Listed<McpResource>>('resources/list', { signal }),
      connection
        .list<Listed<McpResourceTemplate>>('resources/templates/list', { signal })
        .catch(noneWhenUnknown),
    ]);
    return {
      resources: withServer(resources, connection.source.name),
      templates: withServer(templates, connection.source.name),
    };
  });
  return {
    resources: lists.flatMap(({ resources }) => resources),
    resourceTemplates: lists.flatMap(({ templates }) => templates),
    errors,
  };
}

/** Servers with resources need not support templates. */
function noneWhenUnknown(error: unknown): never[] {
  if (error instanceof JsonRpcFault && error.code === METHOD_NOT_FOUND) return [];
  throw error;
}

export async function readResource(
  hub: McpHub,
  serverName: string,
  uri: string,
  signal?: AbortSignal,
): Promise<SDKControlMcpReadResourceResponse> {
  const read = await hub.required(serverName).request('resources/read', { uri }, { signal });
  return read as SDKControlMcpReadResourceResponse;
}

export async function listPrompts(
  hub: McpHub,
  serverName?: string,
  signal?: AbortSignal,
): Promise<McpListPromptsResult> {
  const { lists, errors } = await ofServers(hub, serverName, 'prompts', async (connection) => {
    const prompts = await connection.list<Listed<McpPrompt>>('prompts/list', { signal });
    return withServer(prompts, connection.source.name);
  });
  return { prompts: lists.flat(), errors };
}

export async function getPrompt(
  hub: McpHub,
  serverName: string,
  name: string,
  args: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<McpGetPromptResult> {
  const params = { name, arguments: args };
  return (await hub.required(serverName).request('prompts/get', params, { signal })) as McpGetPromptResult;
}

/** Calls a tool on the host's behalf, by the name that the model would use. */
export async function callTool(
  hub: McpHub,
  { tool, arguments: args = {}, timeout_ms }: McpCallRequest,
  signal?: AbortSignal,
): Promise<CallToolResult> {
  const found = hub.find(tool);
  if (found === undefined) throw new Error(`No MCP server of this conversation has the tool ${tool}.`);
  const options = timeout_ms === undefined ? { signal } : { signal, timeoutMs: timeout_ms };
  return found.connection.callTool(found.listed.name, args, '', options);
}
