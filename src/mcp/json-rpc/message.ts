import { isRecord, kindOf } from '../../protocol/base/kinds.js';
import { INVALID_PARAMS, INVALID_REQUEST } from './codes.js';
import { JsonRpcFault } from './fault.js';

/** Why something that a stranger sent is not a JSON-RPC message, or undefined. */
export function problemOf(message: unknown): JsonRpcFault | undefined {
  if (!isRecord(message)) return invalid(`a message must be an object; it is ${kindOf(message)}`);
  const { id, method, params } = message;
  if (id !== undefined && !isId(id))
    return invalid(`\`id\` must be a string or a number; it is ${kindOf(id)}`);
  if (method === undefined) return undefined;
  if (typeof method !== 'string') return invalid(`\`method\` must be a string; it is ${kindOf(method)}`);
  if (params !== undefined && !isRecord(params)) return invalidParams(method, 'params', params);
  // The MCP library leaves a request with such a `_meta` unanswered.
  if (params?._meta !== undefined && !isRecord(params._meta)) {
    return invalidParams(method, '_meta', params._meta);
  }
  return method === 'tools/call' ? callProblem(params) : undefined;
}

function callProblem({ name, arguments: args }: Record<string, unknown> = {}): JsonRpcFault | undefined {
  if (typeof name !== 'string') {
    return new JsonRpcFault(INVALID_PARAMS, `\`name\` must be a string; it is ${JSON.stringify(name)}.`);
  }
  return args == null || isRecord(args) ? undefined : invalidParams('tools/call', 'arguments', args);
}

export function invalidParams(method: string, field: string, value: unknown): JsonRpcFault {
  return new JsonRpcFault(
    INVALID_PARAMS,
    `The \`${field}\` of ${method} must be an object; it is ${kindOf(value)}.`,
  );
}

export function isId(id: unknown): id is string | number {
  return typeof id === 'string' || typeof id === 'number';
}

function invalid(problem: string): JsonRpcFault {
  return new JsonRpcFault(INVALID_REQUEST, `Invalid request: ${problem}.`);
}
