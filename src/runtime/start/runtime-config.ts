import type { McpServerAuth } from '../../mcp/auth/server-auth.js';
import type { CallMiddleware } from '../../mcp/call-middleware.js';
import type { McpReconnectPolicy } from '../../mcp/client/settings.js';
import type { RuntimeFacts } from '../../options/row.js';
import { OptionError } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type { CacheControl, MessageParam } from '../../protocol/wire/content.js';
import type { Journal } from '../../protocol/wire/journal.js';
import type { SessionStore, SessionStoreFlush } from '../../protocol/wire/session-store.js';
import type { Fetcher } from '../../workspace/tools/web-fetch.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { ContextOptions } from '../context/context-options.js';
import type { KnowledgeValues } from '../knowledge/values.js';
import type { Model, PriceTable } from '../model.js';
import type { Platform } from '../platform/platform.js';
import type { RuntimeTool } from '../tools/tool-port.js';
import type { ToolSource } from '../tools/tool-source.js';
import type { HistoryPolicy } from '../turn/history-policy.js';
import type { RuntimeFlags } from './flags.js';

/** The configuration of a runtime, apart from what its host sends. */
export interface RuntimeConfig extends KnowledgeValues {
  model: Model;
  /** The maximum length of an answer, in tokens. */
  maxTokens?: number | undefined;
  /**
   * What is marked for the cache of the model's API, and for how long. Default: everything that can be, for five
   * minutes. false: nothing.
   */
  cache?: CacheSettings | false | undefined;
  /** Prices of models, before those that the model itself or the package `@pydantic/genai-prices` knows. */
  prices?: PriceTable | undefined;
  /** Where conversations are stored, for `resume`, `continue` and `forkSession`. Default: nowhere. */
  sessionStore?: SessionStore | undefined;
  /**
   * Which calls have run, for conversations that survive their program: an answer is stored before the first of its calls
   * begins, and one that is resumed makes no call twice. Needs a `sessionStore`. Default: none.
   */
  journal?: Journal | undefined;
  /** Messages before the first prompt. Calls and results must come in pairs. */
  history?: readonly MessageParam[] | undefined;
  /** Selects the messages for each request to the model. Default: all. */
  historyPolicy?: HistoryPolicy | undefined;
  /** The agent's own tools, in addition to those of the runtime: a list, or a source. Default: none. */
  tools?: ToolSource | readonly RuntimeTool[] | undefined;
  /**
   * Files, and commands if it has any, for the built-in tools (Read, Write, Edit, Bash, …): one for all conversations,
   * or a function that gives each its own. Default: none, and no such tools.
   */
  workspace?: Workspace | OpenWorkspace | undefined;
  /** How the tool WebFetch gets a page. Default: there is no such tool. */
  fetcher?: Fetcher | undefined;
  /** Wraps every permitted call of the model, to tools of servers and its own; the first is the outermost. */
  toolMiddleware?: readonly CallMiddleware[] | undefined;
  /**
   * How many characters of a result the model reads at once; it reads the rest page by page. A tool's own
   * `maxResultChars` takes precedence. Default: 100,000.
   */
  maxResultChars?: number | undefined;
  /** How the conversation is kept within the context window of the model; false: not at all. */
  context?: ContextOptions | false | undefined;
  /** With more tools of servers than this, those without `alwaysLoad` have to be searched for. */
  deferAbove?: number | undefined;
  /** The timeout for the handshake with an MCP server, in milliseconds. */
  mcpConnectTimeoutMs?: number | undefined;
  /** When and how often lost servers are reconnected. */
  mcpReconnect?: Partial<McpReconnectPolicy> | undefined;
  /** How to authenticate with remote servers, by their names in `mcpServers`. */
  mcpAuth?: Readonly<Record<string, McpServerAuth>> | undefined;
  /** Called with log messages of MCP servers (`notifications/message`). */
  onMcpLog?: ((server: string, entry: Record<string, unknown>) => void) | undefined;
}

export type OpenWorkspace = (conversation: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}) => Workspace | Promise<Workspace>;

/** Marks for the cache of the model's API, where it has such marks. */
export interface CacheSettings {
  /** How long it is kept. Writing for an hour costs more. Default: `5m`. */
  ttl?: '5m' | '1h' | undefined;
  /** What ends with a mark: the system prompt, the tools, the newest message. Default: all three. */
  parts?: readonly CachedPart[] | undefined;
}

type CachedPart = 'system' | 'tools' | 'messages';

const CACHED_PARTS: readonly CachedPart[] = ['system', 'tools', 'messages'];

/** The mark for a part of a request, if it gets one. */
export function cacheMark(cache: RuntimeConfig['cache'], part: CachedPart): CacheControl | undefined {
  if (cache === false) return undefined;
  const { ttl, parts = CACHED_PARTS } = cache ?? {};
  if (!parts.includes(part)) return undefined;
  return { type: 'ephemeral', ...(ttl === '1h' ? { ttl } : {}) };
}

export function checkCache({ cache }: { readonly cache?: unknown }, caller: string): void {
  if (cache === undefined || cache === false) return;
  const { ttl, parts } = (isRecord(cache) ? cache : { ttl: null }) as { ttl?: unknown; parts?: unknown };
  const isTtl = ttl === undefined || ttl === '5m' || ttl === '1h';
  const isParts =
    parts === undefined || (Array.isArray(parts) && parts.every((part) => CACHED_PARTS.includes(part)));
  if (isTtl && isParts) return;
  const given = JSON.stringify(cache) ?? typeof cache;
  throw new OptionError(
    'cache',
    cache,
    `${caller}(): \`cache\` must be false or { ttl: '5m' | '1h', parts: ['system', 'tools', 'messages'] }; it is ${given}.`,
  );
}

/** What an option may depend on. */
export function factsOf({ workspace }: RuntimeConfig): RuntimeFacts {
  return { hasWorkspace: workspace !== undefined };
}

/** The same, with the platform it runs on. */
export interface PlacedConfig extends RuntimeConfig {
  readonly platform: Platform;
}

/** What one conversation is started with. */
export interface RuntimeStart {
  flags: RuntimeFlags;
  /**
   * The options have already been checked against what the runtime supports; otherwise the runtime checks
   * what it receives.
   */
  isChecked?: boolean | undefined;
  cwd: string;
  /**
   * For the programs that it starts, and for `MCP_TIMEOUT` and `MCP_TOOL_TIMEOUT`. Default: this process's
   * environment.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The host's own store; takes precedence over that of the configuration. */
  sessionStore?: SessionStore | undefined;
  /** `batched`: the store is written when a turn ends. Otherwise messages are stored immediately. */
  sessionStoreFlush?: SessionStoreFlush | undefined;
  /** The timeout for each call that reads from the store, in milliseconds. */
  loadTimeoutMs?: number | undefined;
  /** The host reads `session_state_changed` lines. */
  reportsState: boolean;
  /** Called with what a program would write to stderr. */
  onStderr?: ((text: string) => void) | undefined;
  /** Called with a line from the host that is not a frame. */
  onNoise?: ((line: string) => void) | undefined;
}

/** The same for a conversation that begins anew, as a session of its own. */
export function startAnew(start: RuntimeStart): RuntimeStart {
  const flags = { ...start.flags, continue: false, forkSession: false };
  for (const flag of ['sessionId', 'resume', 'resumeSessionAt'] as const) flags[flag] = undefined;
  return { ...start, flags };
}

export const DEFAULT_MAX_TOKENS = 16_384;
/** Below this, searching costs more than it saves. */
export const DEFAULT_DEFER_ABOVE = 50;
/** For the version fields of messages. */
export const RUNTIME_VERSION = '0.1.0';
/** The capabilities announced to the host, beyond those every version of the protocol has. */
export const RUNTIME_CAPABILITIES: readonly string[] = [
  'interrupt_receipt_v1',
  'sdk_mcp_manifests',
  'tool_progress',
  'session_end_hooks',
];
