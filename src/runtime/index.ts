// `tenon/runtime`: the agent itself, in your own process or behind any transport.

export type { AgentRuntime, AgentStart } from '../protocol/agent-runtime.js';
export { embedded } from './embedded.js';
export { FlagError, parseFlags, type RuntimeFlags } from './flags.js';
export type { McpOAuth, McpServerAuth, McpStoredAuth, McpTokenStore } from './mcp/auth/server-auth.js';
export type { McpReconnectPolicy } from './mcp/mcp-settings.js';
export {
  type Model,
  type ModelContext,
  ModelError,
  type ModelRequest,
  type ModelRetry,
  type ModelThinking,
  type ModelTool,
  type Price,
  type PriceTable,
} from './model.js';
export type { RuntimeConfig, RuntimeStart } from './runtime-config.js';
export { type RunningRuntime, serveRuntime } from './serve.js';
export { fileSessionStore } from './sessions/file-session-store.js';
export {
  memorySessionStore,
  type RuntimeSessionStore,
  type SessionEntry,
  type SessionKey,
} from './sessions/session-store.js';
