import type { MessageParam } from '../protocol/content.js';
import type { SessionStore, SessionStoreFlush } from '../protocol/session-store.js';
import type { RuntimeFlags } from './flags.js';
import type { McpServerAuth } from './mcp/auth/server-auth.js';
import type { McpReconnectPolicy } from './mcp/mcp-settings.js';
import type { Model, PriceTable } from './model.js';

/** What a runtime is made of, beside what its host tells it. */
export interface RuntimeConfig {
  model: Model;
  /** The longest answer that is asked for, in tokens. */
  maxTokens?: number | undefined;
  /** What models cost, beside what the model itself knows. */
  prices?: PriceTable | undefined;
  /** Where conversations are kept, for `resume`, `continue` and `forkSession`. Default: nowhere. */
  sessionStore?: SessionStore | undefined;
  /** What was said before the first prompt. Calls and results must come in pairs. */
  history?: readonly MessageParam[] | undefined;
  /** With more tools of servers than this, those without `alwaysLoad` are found by search. */
  deferAbove?: number | undefined;
  /** For the handshake with one MCP server, in milliseconds. */
  mcpConnectTimeoutMs?: number | undefined;
  /** When and how often a server that was lost is connected to again. */
  mcpReconnect?: Partial<McpReconnectPolicy> | undefined;
  /** How remote servers are told who asks, by their names in `mcpServers`. */
  mcpAuth?: Readonly<Record<string, McpServerAuth>> | undefined;
  /** What MCP servers log (`notifications/message`). */
  onMcpLog?: ((server: string, entry: Record<string, unknown>) => void) | undefined;
}

/** What one conversation is started with. */
export interface RuntimeStart {
  flags: RuntimeFlags;
  cwd: string;
  /** Of the programs that it starts, and for `MCP_TIMEOUT` and `MCP_TOOL_TIMEOUT`. Default: this process's own. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The host's own store; wins over that of the configuration. */
  sessionStore?: SessionStore | undefined;
  /** `batched`: the store is written to when a turn ends. Else everything is kept as it is said. */
  sessionStoreFlush?: SessionStoreFlush | undefined;
  /** For each call that reads from the store, in milliseconds. */
  loadTimeoutMs?: number | undefined;
  /** The host reads `session_state_changed` lines. */
  reportsState: boolean;
  /** What a program would write to stderr. */
  onStderr?: ((text: string) => void) | undefined;
  /** Told of a line of the host that is no frame. */
  onNoise?: ((line: string) => void) | undefined;
}

export const DEFAULT_MAX_TOKENS = 16_384;
/** Below this, searching costs more than it saves. */
export const DEFAULT_DEFER_ABOVE = 50;
/** For the version fields of lines: the protocol that is spoken, and who speaks it. */
export const RUNTIME_VERSION = '0.1.0';
/** What a host is told that this agent can do, beyond what every version of the protocol has. */
export const RUNTIME_CAPABILITIES: readonly string[] = ['interrupt_receipt_v1', 'sdk_mcp_manifests'];
