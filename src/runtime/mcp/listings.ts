import type { SDKControlMcpReadResourceResponse } from '../../protocol/control-payloads.js';
import type { McpCallRequest } from '../../protocol/control-requests.js';
import { messageOf } from '../../protocol/errors.js';
import type { CallToolResult } from '../../protocol/mcp.js';
import type {
  McpGetPromptResult,
  McpListPromptsResult,
  McpListResourcesResult,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
} from '../../protocol/mcp-listings.js';
import type { McpHub } from './hub.js';
import { McpError, METHOD_NOT_FOUND } from './mcp-client.js';
import type { McpServerConnection } from './mcp-server-connection.js';

/** Of one server, which must be there and answer; or of all that have some, where one that does not answer is named. */
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

const withServer =
  (server: string) =>
  (listed: object): never =>
    ({ ...listed, server }) as never;

export async function listResources(
  hub: McpHub,
  serverName?: string,
  signal?: AbortSignal,
): Promise<McpListResourcesResult> {
  const { lists, errors } = await ofServers(hub, serverName, 'resources', async (connection) => {
    const named = withServer(connection.source.name);
    const [resources, templates] = await Promise.all([
      connection.list<object>('resources/list', 'resources', { signal }),
      connection
        .list<object>('resources/templates/list', 'resourceTemplates', { signal })
        .catch(noneWhenUnknown),
    ]);
    return {
      resources: resources.map(named) as McpResource[],
      templates: templates.map(named) as McpResourceTemplate[],
    };
  });
  return {
    resources: lists.flatMap(({ resources }) => resources),
    resourceTemplates: lists.flatMap(({ templates }) => templates),
    errors,
  };
}

/** Templates are a part of resources that servers may leave out. */
function noneWhenUnknown(error: unknown): object[] {
  if (error instanceof McpError && error.code === METHOD_NOT_FOUND) return [];
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
    const prompts = await connection.list<object>('prompts/list', 'prompts', { signal });
    return prompts.map(withServer(connection.source.name)) as McpPrompt[];
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

/** A call without a model, by the name that a model would use. */
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
