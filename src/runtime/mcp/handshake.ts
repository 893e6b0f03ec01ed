import type { InitializeResult, ListedTool, ListToolsResult } from '../../protocol/mcp.js';
import { RUNTIME_VERSION } from '../runtime-config.js';
import { type McpClient, type McpRequestOptions, McpTimeoutError } from './mcp-client.js';
import type { McpServerSource } from './mcp-server-source.js';

export interface Handshake {
  handshake: InitializeResult;
  tools: ListedTool[];
}

const CLIENT_INFO = { name: 'tenon-runtime', title: 'Tenon runtime', version: RUNTIME_VERSION };

export interface HandshakeOptions {
  timeoutMs: number;
  /** Aborted: the server is not wanted any more. What was opened is closed before this rejects. */
  signal: AbortSignal;
  manifest: McpServerSource['manifest'];
  gone(error: Error): void;
}

/** Opens the server, introduces us, and asks for its tools. All of it together has one time limit. */
export async function shakeHands(
  source: McpServerSource,
  client: McpClient,
  { timeoutMs, signal, manifest, gone }: HandshakeOptions,
): Promise<Handshake> {
  const deadline = performance.now() + timeoutMs;
  const left = (): McpRequestOptions => ({ signal, timeoutMs: Math.max(1, deadline - performance.now()) });
  client.attach(await source.open(client, { gone, signal, timeoutMs }));
  try {
    const handshake =
      (manifest?.initializeResult as InitializeResult | undefined) ??
      (await client.initialize(CLIENT_INFO, source.capabilities, left()));
    const listed = manifest?.toolsListResult as ListToolsResult | undefined;
    return { handshake, tools: listed?.tools ?? (await listTools(source, client, handshake, left())) };
  } catch (error) {
    if (!(error instanceof McpTimeoutError)) throw error;
    throw new Error(`The MCP server "${source.name}" did not answer within ${timeoutMs} ms.`);
  }
}

async function listTools(
  source: McpServerSource,
  client: McpClient,
  { capabilities }: InitializeResult,
  options: McpRequestOptions,
): Promise<ListedTool[]> {
  // Servers in the host's process are asked in any case, as the CLI asks them.
  if (source.transport !== 'sdk' && capabilities?.tools === undefined) return [];
  return client.list<ListedTool>('tools/list', 'tools', options);
}
