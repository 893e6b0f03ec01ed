import { clock } from '../../protocol/base/clock.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { METHOD_NOT_FOUND } from '../json-rpc/codes.js';
import { JsonRpcFault } from '../json-rpc/fault.js';
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
  const isAnnounced = capabilities?.tools !== undefined;
  // Servers in the host's process are always asked: not all of them announce what they have.
  if (source.transport !== 'sdk' && !isAnnounced) return [];
  try {
    return await client.list<ListedTool>('tools/list', options);
  } catch (error) {
    // One that has only resources or prompts.
    const hasNone = error instanceof JsonRpcFault && error.code === METHOD_NOT_FOUND;
    if (hasNone && !isAnnounced) return [];
    throw error;
  }
}
