import type { ClientEnd, ServerEnd } from './link/ends.js';

// The parts of MCP that cross this SDK, written structurally so that no MCP package is needed to compile.
// Servers of either major of the official MCP library satisfy `McpServerInstance`.

export type JsonRpcId = string | number;

export type JsonRpcRequest = {
  jsonrpc: '2.0';
  id: JsonRpcId;
  method: string;
  params?: Record<string, unknown> | undefined;
};

export type JsonRpcNotification = {
  jsonrpc: '2.0';
  method: string;
  params?: Record<string, unknown> | undefined;
};

export type JsonRpcSuccess = {
  jsonrpc: '2.0';
  id: JsonRpcId;
  result: Record<string, unknown>;
};

export type JsonRpcError = {
  jsonrpc: '2.0';
  id?: JsonRpcId | undefined;
  error: { code: number; message: string; data?: unknown };
};

export type JsonRpcResponse = JsonRpcSuccess | JsonRpcError;

/** What the agent gets in answer to a message that is not a request. */
export type McpAcknowledgement = { jsonrpc: '2.0'; result: Record<string, never> };

export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

type Meta = Record<string, unknown>;

/** Hints about a content block; not to be confused with `ToolAnnotations`. */
export type ContentAnnotations = {
  audience?: ('user' | 'assistant')[] | undefined;
  priority?: number | undefined;
  lastModified?: string | undefined;
};

type ContentExtras = { annotations?: ContentAnnotations | undefined; _meta?: Meta | undefined };

export type McpTextContent = ContentExtras & { type: 'text'; text: string };
export type McpImageContent = ContentExtras & { type: 'image'; data: string; mimeType: string };
export type McpAudioContent = ContentExtras & { type: 'audio'; data: string; mimeType: string };

export type McpIcon = {
  src: string;
  mimeType?: string | undefined;
  sizes?: string[] | undefined;
  theme?: 'light' | 'dark' | undefined;
};

export type McpResourceLink = ContentExtras & {
  type: 'resource_link';
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  size?: number | undefined;
  icons?: McpIcon[] | undefined;
};

export type McpResourceContents = {
  uri: string;
  mimeType?: string | undefined;
  _meta?: Meta | undefined;
} & ({ text: string } | { blob: string });

export type McpEmbeddedResource = ContentExtras & { type: 'resource'; resource: McpResourceContents };

export type McpContentBlock =
  | McpTextContent
  | McpImageContent
  | McpAudioContent
  | McpResourceLink
  | McpEmbeddedResource;

export type CallToolResult = {
  content: McpContentBlock[];
  structuredContent?: Record<string, unknown> | undefined;
  isError?: boolean | undefined;
  _meta?: Meta | undefined;
  [key: string]: unknown;
};

export type ToolAnnotations = {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
};

export type Implementation = {
  name: string;
  version: string;
  title?: string | undefined;
  description?: string | undefined;
  websiteUrl?: string | undefined;
  icons?: McpIcon[] | undefined;
};

/** A JSON Schema whose root is an object, the only root MCP allows. */
export type ObjectSchema = {
  type: 'object';
  properties?: Record<string, object> | undefined;
  required?: string[] | undefined;
  [key: string]: unknown;
};

export type ListedTool = {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: ObjectSchema;
  outputSchema?: ObjectSchema | undefined;
  annotations?: ToolAnnotations | undefined;
  execution?: { taskSupport?: 'optional' | 'required' | 'forbidden' | undefined } | undefined;
  icons?: McpIcon[] | undefined;
  _meta?: Meta | undefined;
};

export type InitializeResult = {
  protocolVersion: string;
  capabilities: Record<string, unknown>;
  serverInfo: Implementation;
  instructions?: string | undefined;
  _meta?: Meta | undefined;
  [key: string]: unknown;
};

export type ListToolsResult = {
  tools: ListedTool[];
  nextCursor?: string | undefined;
  _meta?: Meta | undefined;
  [key: string]: unknown;
};

export type ElicitResult = {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]> | undefined;
  _meta?: Meta | undefined;
  [key: string]: unknown;
};

/**
 * What a server is connected to. The server sets the three handlers in `connect()` and then calls `start()`; no message
 * may be delivered before that.
 */
export interface McpTransport {
  start(): Promise<void>;
  send(message: JsonRpcMessage, options?: { relatedRequestId?: JsonRpcId | undefined }): Promise<void>;
  close(): Promise<void>;
  // Handlers are `onX?: F | undefined` because servers clear them by assigning undefined.
  onmessage?: ((message: JsonRpcMessage) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  sessionId?: string | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
}

/** Method syntax on purpose: parameters of methods are compared loosely, so both MCP majors fit. */
export interface McpServerInstance {
  connect(transport: McpTransport): Promise<void>;
  close(): Promise<void>;
}

/**
 * Marks server objects that take any number of independent connections; those of the MCP libraries take one. A symbol
 * rather than a class, so that it works across copies of the package.
 */
export const manyConnections: unique symbol = Symbol.for('tenon.manyConnections');

export interface ManyConnectionsServer extends McpServerInstance {
  readonly [manyConnections]: true;
  /** Opens a connection with no transport in between. The audience is known before the client introduces itself. */
  open(client: ClientEnd, audience?: 'claude-code'): ServerEnd;
}

export function takesManyConnections(instance: McpServerInstance): instance is ManyConnectionsServer {
  return manyConnections in instance;
}

export type McpServerToolPolicy = {
  name: string;
  permission_policy?: 'always_allow' | 'always_ask' | 'always_deny' | undefined;
  org_max_permission?: 'allow' | 'ask' | 'blocked' | undefined;
  /** Tenon's own, for its runtime: the time limit of a call of this tool, in milliseconds. */
  timeout?: number | undefined;
};

export type McpStdioServerConfig = {
  type?: 'stdio' | undefined;
  command: string;
  args?: string[] | undefined;
  env?: Record<string, string> | undefined;
  timeout?: number | undefined;
  alwaysLoad?: boolean | undefined;
};

type RemoteServerConfig<Type extends string> = {
  type: Type;
  url: string;
  headers?: Record<string, string> | undefined;
  tools?: McpServerToolPolicy[] | undefined;
  timeout?: number | undefined;
  alwaysLoad?: boolean | undefined;
};

export type McpSSEServerConfig = RemoteServerConfig<'sse'>;
export type McpHttpServerConfig = RemoteServerConfig<'http'>;

export type McpSdkServerConfig = {
  type: 'sdk';
  name: string;
  timeout?: number | undefined;
  tools?: McpServerToolPolicy[] | undefined;
};

export type McpSdkServerConfigWithInstance = McpSdkServerConfig & { instance: McpServerInstance };

export type McpServerConfig =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfigWithInstance;

/** What can be written as JSON: an in-process server is only a name. */
export type McpServerConfigForProcessTransport =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfig;

export type McpClaudeAIProxyServerConfig = {
  type: 'claudeai-proxy';
  url: string;
  id: string;
  timeout?: number | undefined;
};

export type McpServerStatusConfig = McpServerConfigForProcessTransport | McpClaudeAIProxyServerConfig;

export type McpServerProvenance = { name: string; source: string };
