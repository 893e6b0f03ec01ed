// `tenon/runtime` in Node: the agent itself, in your own process or behind any transport. Elsewhere it is portable.ts.

export type { McpOAuth, McpServerAuth, McpStoredAuth, McpTokenStore } from '../mcp/auth/server-auth.js';
export type { CallMiddleware, NextCall, ToolInvocation } from '../mcp/call-middleware.js';
export type { McpReconnectPolicy } from '../mcp/client/settings.js';
export type { AgentRuntime, AgentStart } from '../options/agent-runtime.js';
export type { AgentPlan } from '../options/plan.js';
export type { Journal, JournaledCall, JournalState } from '../protocol/wire/journal.js';
export type {
  SessionAppendOptions,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
} from '../protocol/wire/session-store.js';
export { InMemorySessionStore } from '../sessions/memory-session-store.js';
export { fileSessionStore } from '../sessions/stores.js';
export type { FetchedPage, Fetcher } from '../workspace/tools/web-fetch.js';
export {
  type ContextOptions,
  type ContextStrategy,
  type SummarizeOptions,
  type SummaryStrategy,
  summarize,
} from './context/context-options.js';
export { memoryJournal } from './journal.js';
export type { CommandDefinition, MemoryDefinition, SkillDefinition } from './knowledge/values.js';
export {
  type Model,
  type ModelContext,
  ModelError,
  type ModelIdentity,
  type ModelRequest,
  type ModelRetry,
  type ModelThinking,
  type ModelTool,
  type Price,
  type PriceTable,
} from './model.js';
export { embedded, serveRuntime } from './on-node.js';
export {
  type FunctionAnswer,
  type FunctionModelOptions,
  modelFromFunction,
  textToEvents,
} from './own-model.js';
export type { RunningRuntime } from './serve.js';
export { FlagError, parseFlags, type RuntimeFlags } from './start/flags.js';
export type { CacheSettings, OpenWorkspace, RuntimeConfig, RuntimeStart } from './start/runtime-config.js';
export type {
  AddedText,
  PreparedCall,
  ReconciledCall,
  RuntimeTool,
  ToolAccess,
  ToolCall,
  ToolOutcome,
  ToolTitle,
} from './tools/tool-port.js';
export type { ToolSet, ToolSource, ToolSurroundings } from './tools/tool-source.js';
export type { TokenCounts } from './turn/assistant-stream.js';
export type { ConversationHistory, HistoryPolicy, HistorySelection } from './turn/history-policy.js';
