import { errorResult } from '../error-result.js';
import { INVALID_PARAMS } from '../json-rpc/codes.js';
import type { JsonRpcRequest, JsonRpcResponse } from '../types.js';

/**
 * The one place that knows how the majors of the MCP library differ. An unknown tool is a failed result in 1.x and a
 * JSON-RPC error in 2.x; the model should see the same in both cases: a result that it can act on.
 */
export function normalizeUnknownTool(request: JsonRpcRequest, response: JsonRpcResponse): JsonRpcResponse {
  if (request.method !== 'tools/call' || !('error' in response) || response.error.code !== INVALID_PARAMS) {
    return response;
  }
  return { jsonrpc: '2.0', id: request.id, result: errorResult(response.error.message) };
}
