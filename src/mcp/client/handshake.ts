import { clock } from '../../protocol/base/clock.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { JsonRpcTimeout } from '../json-rpc/peer.js';
import type { Implementation, InitializeResult, ListedTool, ListToolsResult } from '../types.js';
import type { McpClient, McpRequestOptions } from './mcp-client.js';
import type { McpServerSource } from './server-source.js';

export interface Handshake {
  handshake: InitializeResult;
  tools: ListedTool[];
}

export interface HandshakeOptions {
  clientInfo: Implementation;
  timeoutMs: number;
  /** Aborted when the server is no longer wanted; rejects once what was opened is closed. */
  signal: AbortSignal;
  manifest: McpServerSource['manifest'];
  onGone(error: Error): void;
}

/** Opens the server, shakes hands and lists its tools, all within one time limit. */
export async function shakeHands(
  source: McpServerSource,
  client: McpClient,
  { clientInfo, timeoutMs, signal, manifest, onGone }: HandshakeOptions,
): Promise<Handshake> {
  const deadline = clock.monotonic() + timeoutMs;
  const remaining = (): McpRequestOptions => ({
    signal,
    timeoutMs: Math.max(1, deadline - clock.monotonic()),
  });
  client.attach(await source.open(client, { onGone, signal, timeoutMs }));
  try {
    const handshake =
      (manifest?.initializeResult as InitializeResult | undefined) ??
      (await client.initialize(clientInfo, source.capabilities, remaining()));
    const listed = manifest?.toolsListResult as ListToolsResult | undefined;
    const tools = listed?.tools ?? (await listTools(source, client, handshake, remaining()));
    return { handshake, tools: checkedTools(tools) };
  } catch (error) {
    if (!(error instanceof JsonRpcTimeout)) throw error;
    throw new Error(`The MCP server "${source.name}" did not answer within ${timeoutMs} ms.`);
  }
}

/** Throws for a list that no model could be offered: it comes from a stranger, and is used again and again. */
export function checkedTools(tools: readonly unknown[]): ListedTool[] {
  const index = tools.findIndex((tool) => !isListedTool(tool));
  if (index === -1) return tools as ListedTool[];
  throw new Error(
    `tools/list: tools[${index}] needs a \`name\`, a string, and an \`inputSchema\`, an object.`,
  );
}

/** `annotations` and `_meta` are decorations, but their readers expect objects. */
export function isListedTool(tool: unknown): tool is ListedTool {
  if (!isRecord(tool) || typeof tool.name !== 'string' || !isRecord(tool.inputSchema)) return false;
  if (tool.description != null && typeof tool.description !== 'string') return false;
  return isRecord(tool.annotations ?? {}) && isRecord(tool._meta ?? {});
}

async function listTools(
  source: McpServerSource,
  client: McpClient,
  { capabilities }: InitializeResult,
  options: McpRequestOptions,
): Promise<ListedTool[]> {
  // Servers in the host's process are always asked, as the CLI does.
  if (source.transport !== 'sdk' && capabilities?.tools === undefined) return [];
  return client.list<ListedTool>('tools/list', options);
}
