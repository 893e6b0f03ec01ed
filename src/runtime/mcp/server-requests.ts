import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ElicitationControlRequest } from '../../protocol/control-requests.js';
import type { ElicitResult, JsonRpcRequest } from '../../protocol/mcp.js';
import type { Host } from '../host.js';
import { McpError, METHOD_NOT_FOUND } from './mcp-client.js';

type Answer = Record<string, unknown>;
export type ServeRequest = (
  serverName: string,
  request: JsonRpcRequest,
  signal: AbortSignal,
) => Promise<Answer>;

/** What a server outside may ask of us. A server in the host's process asks the host itself. */
export const EXTERNAL_CAPABILITIES = {
  roots: { listChanged: false },
  elicitation: { form: { applyDefaults: true }, url: {} },
};

/** Answers to servers outside: questions go to the host's person, roots are the directories that the agent works in. */
export function externalRequests(host: Host, directories: readonly string[]): ServeRequest {
  return async (serverName, { method, params = {} }, signal) => {
    if (method === 'ping') return {};
    if (method === 'roots/list') return { roots: directories.map(rootOf) };
    if (method === 'elicitation/create') return elicit(host, serverName, params, signal);
    throw new McpError(METHOD_NOT_FOUND, 'Method not found');
  };
}

/** As the CLI answers servers in the host's process. */
export const inProcessRequests: ServeRequest = async (_, { method }) => {
  if (method === 'ping') return {};
  throw new McpError(METHOD_NOT_FOUND, 'Method not found');
};

function rootOf(directory: string): { uri: string; name: string } {
  return { uri: pathToFileURL(directory).href, name: basename(directory) };
}

async function elicit(host: Host, serverName: string, params: Answer, signal: AbortSignal): Promise<Answer> {
  const { message, mode = 'form', url, elicitationId, requestedSchema } = params;
  const schema = requestedSchema as { properties?: Record<string, object> } | undefined;
  const request = {
    mcp_server_name: serverName,
    message: String(message ?? ''),
    mode,
    ...(url === undefined ? {} : { url }),
    ...(elicitationId === undefined ? {} : { elicitation_id: elicitationId }),
    ...(schema === undefined
      ? {}
      : { requested_schema: schema, property_order: Object.keys(schema.properties ?? {}) }),
  } as ElicitationControlRequest;
  let answer: ElicitResult;
  try {
    answer = await host.ask('elicitation', request, { signal });
  } catch {
    // Nobody was there to answer, or the answer failed: that is not a "no".
    return { action: 'cancel' };
  }
  return answer.action === 'accept' && mode === 'form' ? withDefaults(answer, schema) : answer;
}

/** What the person left out, as the server proposed it. */
function withDefaults(
  answer: ElicitResult,
  schema: { properties?: Record<string, object> } | undefined,
): Answer {
  const content: Record<string, unknown> = { ...answer.content };
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    if (content[name] === undefined && 'default' in property) content[name] = property.default;
  }
  return { ...answer, content };
}
