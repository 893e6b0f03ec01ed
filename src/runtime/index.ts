// `tenon/runtime`: the agent itself, in your own process or behind any transport.

export type { AgentRuntime, AgentStart } from '../protocol/agent-runtime.js';
export type { SessionKey, SessionStore, SessionStoreEntry } from '../protocol/session-store.js';
export { InMemorySessionStore } from '../sessions/memory-session-store.js';
export { fileSessionStore } from '../sessions/stores.js';
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
