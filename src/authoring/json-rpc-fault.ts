/** JSON-RPC's own faults: the caller asked in a way that no tool ever sees. */
export class JsonRpcFault extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** MCP's own, for a resource that is not there. */
export const RESOURCE_NOT_FOUND = -32002;
