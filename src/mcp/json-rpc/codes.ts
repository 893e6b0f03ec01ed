// Every error code that we send or understand.

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** For an HTTP request that never became an MCP message. */
export const SERVER_ERROR = -32000;
export const SESSION_NOT_FOUND = -32001;
/** MCP's own. */
export const RESOURCE_NOT_FOUND = -32002;
/** From the Language Server Protocol: MCP has none, because it leaves cancelled requests unanswered. */
export const REQUEST_CANCELLED = -32800;
