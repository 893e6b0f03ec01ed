import type { JsonRpcRequest, JsonRpcResponse } from '../../protocol/mcp.js';

/**
 * The one place that knows how the majors of the MCP library differ. An unknown tool is a failed result in 1.x and
 * a JSON-RPC error in 2.x; the model should see the same either way: a result that it can act on.
 */
const INVALID_PARAMS = -32602;

export function normalizeUnknownTool(request: JsonRpcRequest, response: JsonRpcResponse): JsonRpcResponse {
  if (request.method !== 'tools/call' || !('error' in response) || response.error.code !== INVALID_PARAMS) {
    return response;
  }
  const text = response.error.message;
  return {
    jsonrpc: '2.0',
    id: request.id,
    result: { content: [{ type: 'text', text }], isError: true },
  };
}
