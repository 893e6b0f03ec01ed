/** JSON-RPC's own faults: the caller asked in a way that no tool ever sees. */
export class JsonRpcFault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** MCP's own, for a resource that is not there. */
export const RESOURCE_NOT_FOUND = -32002;
