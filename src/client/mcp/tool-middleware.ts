import { type ComposedCalls, toolInvocation } from '../../mcp/call-middleware.js';
import { errorResult } from '../../mcp/error-result.js';
import type { McpAnswer } from '../../mcp/in-process/agent-connection.js';
import { faultResponse, JsonRpcFault } from '../../mcp/json-rpc/fault.js';
import { problemOf } from '../../mcp/json-rpc/message.js';
import type { CallToolResult, JsonRpcMessage, JsonRpcRequest, JsonRpcResponse } from '../../mcp/types.js';
import type { Cancellation } from '../../protocol/base/cancellation.js';
import { messageOf } from '../../protocol/base/errors.js';

type Params = Record<string, unknown>;

/** Where a call comes from, and how it reaches its server. */
export interface CallRoute {
  serverName: string;
  sessionId: string | undefined;
  cancellation: Cancellation;
  forward(request: JsonRpcRequest): Promise<McpAnswer>;
}

/** A malformed call is refused without having been one. */
export function isToolCall(message: JsonRpcMessage): message is JsonRpcRequest {
  if (!('method' in message && message.method === 'tools/call' && 'id' in message)) return false;
  return problemOf(message) === undefined;
}

/** One `tools/call`, through the middleware, to any kind of server. */
export async function callThrough(
  calls: ComposedCalls,
  request: JsonRpcRequest,
  route: CallRoute,
): Promise<McpAnswer> {
  const { id } = request;
  const run = async (input: object): Promise<CallToolResult> => {
    const changed = { ...request, params: { ...request.params, arguments: input } };
    const { mcp_response: response } = await route.forward(changed);
    return resultOf(response as JsonRpcResponse);
  };
  try {
    const { name, arguments: input, _meta: meta } = request.params ?? {};
    const { serverName, sessionId, cancellation } = route;
    const scope = { meta, sessionId, cancellation };
    const call = toolInvocation(serverName, name as string, (input ?? {}) as Params, scope);
    const result = await calls(call, run);
    return { mcp_response: { jsonrpc: '2.0', id, result } };
  } catch (error) {
    // The server's own errors stay errors; what middleware throws becomes a result for the model, as from a
    // handler.
    if (error instanceof JsonRpcFault) return { mcp_response: faultResponse(id, error) };
    return { mcp_response: { jsonrpc: '2.0', id, result: errorResult(messageOf(error)) } };
  }
}

function resultOf(response: JsonRpcResponse): CallToolResult {
  if (!('error' in response)) return response.result as CallToolResult;
  const { code, message, data } = response.error;
  throw new JsonRpcFault(code, message, data);
}
