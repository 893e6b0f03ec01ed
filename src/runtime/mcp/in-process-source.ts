import type { InitializeRequest, SdkMcpServerManifest } from '../../protocol/control-requests.js';
import { LIMITS } from '../../protocol/limits.js';
import type { JsonRpcMessage } from '../../protocol/mcp.js';
import type { Host } from '../host.js';
import type { McpClient } from './mcp-client.js';
import type { McpServerSource } from './mcp-server-source.js';
import { inProcessRequests } from './server-requests.js';

/** Servers that live in the host: each message is a control request, and the answer comes back in its payload. */
export function inProcessSource(name: string, request: InitializeRequest, host: Host): McpServerSource {
  const config = request.sdkMcpServerConfigs?.[name];
  return {
    name,
    transport: 'sdk',
    source: 'sdk',
    timeoutMs: config?.timeout,
    policies: config?.tools ?? [],
    manifest: usable(request.sdkMcpServerManifests?.[name]),
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
    const heard = host.ask('mcp_message', fields, { timeoutMs: LIMITS.controlTimeoutMs });
    if ('method' in message && message.method === 'notifications/cancelled') {
      calls.forget(message.params?.requestId);
    }
    await heard;
    return;
  }
  const forgottenBy = calls.begin(message);
  const answer = await host.ask('mcp_message', fields, { forgottenBy }).finally(() => calls.end(message));
  if (answer?.mcp_response != null) client.receive(answer.mcp_response);
}

/**
 * A call that the client has given up is never answered by most servers: the control request that carried it must not
 * stay open for that.
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

function usable(manifest: SdkMcpServerManifest | undefined): SdkMcpServerManifest | undefined {
  return manifest?.initializeResult === undefined ? undefined : manifest;
}
