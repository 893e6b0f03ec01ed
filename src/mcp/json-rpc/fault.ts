import { messageOf } from '../../protocol/base/errors.js';
import type { JsonRpcError, JsonRpcId } from '../types.js';
import { INTERNAL_ERROR } from './codes.js';

/** A JSON-RPC error: received from the other side, or thrown to answer it with one. */
export class JsonRpcFault extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The error response for a request that failed for this reason. */
export function faultResponse(id: JsonRpcId, reason: unknown): JsonRpcError {
  const message = messageOf(reason);
  if (!(reason instanceof JsonRpcFault))
    return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } };
  const { code, data } = reason;
  return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
}
