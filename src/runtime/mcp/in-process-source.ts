import { isListedTool } from '../../mcp/client/handshake.js';
import type { McpClient } from '../../mcp/client/mcp-client.js';
import type { McpServerSource } from '../../mcp/client/server-source.js';
import { problemOf } from '../../mcp/json-rpc/message.js';
import type { JsonRpcMessage } from '../../mcp/types.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { InitializeRequest, SdkMcpServerManifest } from '../../protocol/wire/control-requests.js';
import type { Host } from '../host.js';
import { inProcessRequests } from './server-requests.js';

/** Servers in the host's process: each message is a control request, whose payload has the answer. */
export function inProcessSource(name: string, request: InitializeRequest, host: Host): McpServerSource {
  const config = own(request.sdkMcpServerConfigs, name);
  return {
    name,
    transport: 'sdk',
    source: 'sdk',
    timeoutMs: config?.timeout ?? undefined,
    policies: config?.tools ?? [],
    manifest: usable(own(request.sdkMcpServerManifests, name)),
    capabilities: {},
    serve: inProcessRequests,
    open: async (client) => {
      const calls = new OpenCalls();
      return { send: (message) => send(name, message, host, client, calls), close: async () => {} };
    },
  };
}

async function send(
  name: string,
  message: JsonRpcMessage,
  host: Host,
  client: McpClient,
  calls: OpenCalls,
): Promise<void> {
  const fields = { server_name: name, message };
  if (!('method' in message && 'id' in message)) {
    const delivered = host.ask('mcp_message', fields, { timeoutMs: LIMITS.controlTimeoutMs });
    if ('method' in message && message.method === 'notifications/cancelled') {
      calls.forget(message.params?.requestId);
    }
    await delivered;
    return;
  }
  const forgottenBy = calls.begin(message);
  const answer = await host.ask('mcp_message', fields, { forgottenBy }).finally(() => calls.end(message));
  const response: unknown = answer?.mcp_response;
  // Anything else would leave the call waiting for an answer that has already come.
  if (problemOf(response) !== undefined || !isRecord(response) || response.id !== message.id) {
    throw new Error(
      `The host answered ${message.method} of the MCP server "${name}" without an \`mcp_response\` for it.`,
    );
  }
  client.receive(response as JsonRpcMessage);
}

/**
 * Most servers never answer a call that the client has given up, so the control request that carried it must not stay
 * open for the answer.
 */
class OpenCalls {
  readonly #open = new Map<unknown, AbortController>();

  begin({ id }: { id: unknown }): AbortSignal {
    const controller = new AbortController();
    this.#open.set(id, controller);
    return controller.signal;
  }

  end({ id }: { id: unknown }): void {
    this.#open.delete(id);
  }

  forget(id: unknown): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }
}

function own<Value>(record: Record<string, Value> | undefined, name: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** One that is malformed is as good as none, as in the CLI: the server is asked itself. */
function usable(manifest: SdkMcpServerManifest | undefined): SdkMcpServerManifest | undefined {
  if (manifest === undefined || !isRecord(manifest.initializeResult)) return undefined;
  const { toolsListResult: listed } = manifest;
  if (listed === undefined) return manifest;
  return isRecord(listed) && Array.isArray(listed.tools) && listed.tools.every(isListedTool)
    ? manifest
    : undefined;
}

/** What a host announces about one of its servers. */
export function isServerConfig(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { timeout, tools } = value;
  if (timeout != null && typeof timeout !== 'number') return false;
  return tools == null || (Array.isArray(tools) && tools.every(isPolicy));
}

function isPolicy(value: unknown): boolean {
  return isRecord(value) && typeof value.name === 'string';
}
