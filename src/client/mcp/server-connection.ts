import type { Cancellation } from '../../protocol/cancellation.js';
import type {
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
} from '../../protocol/mcp.js';

/** The agent's side of a connection, as far as a server can speak to it. */
export interface McpPeer {
  readonly sessionId: string | undefined;
  /** Capabilities that this side has beyond those of the agent, such as `elicitation`. */
  readonly capabilities: Record<string, unknown>;
  notify(message: JsonRpcNotification): void;
  /** Never rejects: what nobody can serve is answered with a JSON-RPC error. */
  serve(request: JsonRpcRequest, signal: AbortSignal): Promise<JsonRpcResponse>;
  debug(message: string): void;
}

/** One conversation's connection to one MCP server object. Every request of the agent is answered exactly once. */
export interface ServerConnection {
  /** One message of the agent, and the payload of the answer to it. */
  receive(message: JsonRpcMessage, cancellation: Cancellation): Promise<McpAnswer>;
  close(): void;
}

export interface McpAnswer {
  mcp_response: object;
}

/** Without an object here the CLI takes the server for dead. No id: it could be that of an open request. */
export const RECEIVED: McpAnswer = { mcp_response: { jsonrpc: '2.0', result: {} } };

export const CANCELLED = -32800;
export const INTERNAL_ERROR = -32603;

export function failure({ id }: JsonRpcRequest, code: number, message: string): JsonRpcResponse {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** The agent has no capabilities for in-process servers; what the host's callbacks add is said in its place. */
export function withCapabilities(request: JsonRpcRequest, peer: McpPeer): JsonRpcRequest {
  if (request.method !== 'initialize') return request;
  const { params } = request;
  const capabilities = { ...(params?.capabilities as object | undefined), ...peer.capabilities };
  return { ...request, params: { ...params, capabilities } };
}
