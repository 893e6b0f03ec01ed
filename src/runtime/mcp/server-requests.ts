import type { ServeRequest } from '../../mcp/client/server-source.js';
import { METHOD_NOT_FOUND } from '../../mcp/json-rpc/codes.js';
import { JsonRpcFault } from '../../mcp/json-rpc/fault.js';
import type { ElicitResult } from '../../mcp/types.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type { ElicitationControlRequest } from '../../protocol/wire/control-requests.js';
import type { Host } from '../host.js';
import { rootOf } from './roots.js';

type Answer = Record<string, unknown>;

/** What external servers may ask of us. Servers in the host's process ask the host itself. */
export const EXTERNAL_CAPABILITIES = {
  roots: { listChanged: false },
  elicitation: { form: { applyDefaults: true }, url: {} },
};

/** Answers external servers: questions go to the person at the host, roots are the agent's directories. */
export function externalRequests(host: Host, directories: readonly string[]): ServeRequest {
  return async (serverName, { method, params = {} }, signal) => {
    if (method === 'ping') return {};
    if (method === 'roots/list') return { roots: directories.map(rootOf) };
    if (method === 'elicitation/create') return elicit(host, serverName, params, signal);
    throw new JsonRpcFault(METHOD_NOT_FOUND, 'Method not found');
  };
}

/** Answers servers in the host's process, as the CLI does. */
export const inProcessRequests: ServeRequest = async (_, { method }) => {
  if (method === 'ping') return {};
  throw new JsonRpcFault(METHOD_NOT_FOUND, 'Method not found');
};

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'];

async function elicit(host: Host, serverName: string, params: Answer, signal: AbortSignal): Promise<Answer> {
  const { message, mode = 'form', url, elicitationId, requestedSchema } = params;
  const schema = requestedSchema as { properties?: Record<string, object> } | undefined;
  const request = {
    mcp_server_name: serverName,
    message: typeof message === 'string' ? message : '',
    mode,
    ...(url === undefined ? {} : { url }),
    ...(elicitationId === undefined ? {} : { elicitation_id: elicitationId }),
    ...(schema === undefined
      ? {}
      : { requested_schema: schema, property_order: Object.keys(schema.properties ?? {}) }),
  } as ElicitationControlRequest;
  // Nobody answered, or answering failed, which is not the same as declining.
  const answer = await host.ask('elicitation', request, { signal }).catch(() => undefined);
  if (!isRecord(answer) || !ACTIONS.includes(answer.action)) return { action: 'cancel' };
  return answer.action === 'accept' && mode === 'form' ? withDefaults(answer, schema) : answer;
}

/** Fills in the server's defaults for what the person left out. */
function withDefaults(
  answer: ElicitResult,
  schema: { properties?: Record<string, object> } | undefined,
): Answer {
  const content: Record<string, unknown> = { ...answer.content };
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    if (content[name] === undefined && isRecord(property) && 'default' in property) {
      content[name] = property.default;
    }
  }
  return { ...answer, content };
}
