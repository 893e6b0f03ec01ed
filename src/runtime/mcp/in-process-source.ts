import type { InitializeRequest, SdkMcpServerManifest } from '../../protocol/control-requests.js';
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
    open: async (client) => ({
      send: (message) => send(name, message, host, client),
      close: async () => {},
    }),
  };
}

async function send(name: string, message: JsonRpcMessage, host: Host, client: McpClient): Promise<void> {
  const answer = await host.ask('mcp_message', { server_name: name, message });
  const response = answer?.mcp_response;
  if ('method' in message && 'id' in message && response != null) client.receive(response);
}

function usable(manifest: SdkMcpServerManifest | undefined): SdkMcpServerManifest | undefined {
  return manifest?.initializeResult === undefined ? undefined : manifest;
}
