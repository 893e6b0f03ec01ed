// Everything a caller may set on a query. The first part has the names and shapes of the official SDK;
// the part after it is Tenon's own. Optional fields admit `undefined`, so that callers may pass values through.

import type { Readable, Writable } from 'node:stream';
import type { AgentRuntime } from '../protocol/agent-runtime.js';
import type { AgentDefinition, SdkPluginConfig } from '../protocol/agents.js';
import type { EffortLevel } from '../protocol/control-payloads.js';
import type { HookCallbackMatcher, HookEvent } from '../protocol/hooks.js';
import type { OnElicitation, OnSampling, OnUserDialog } from '../protocol/host-callbacks.js';
import type { McpServerConfig } from '../protocol/mcp.js';
import type { CanUseTool, PermissionMode } from '../protocol/permissions.js';
import type { SessionStore, SessionStoreFlush } from '../protocol/session-store.js';
import type { SandboxSettings, Settings } from '../protocol/settings.js';

import type { McpReadyOptions } from './mcp/mcp-controls.js';
import type { McpStatusChange } from './mcp/status-monitor.js';

export type { AgentDefinition, AgentMcpServerSpec, SdkPluginConfig } from '../protocol/agents.js';
export type { EffortLevel } from '../protocol/control-payloads.js';
export type {
  SandboxCredentialsConfig,
  SandboxFilesystemConfig,
  SandboxIgnoreViolations,
  SandboxNetworkConfig,
  SandboxSettings,
  Settings,
} from '../protocol/settings.js';

export type SettingSource = 'user' | 'project' | 'local';

export type ConfigScope = 'local' | 'user' | 'project';

export type SdkBeta = 'context-1m-2025-08-07';

export type ThinkingAdaptive = { type: 'adaptive'; display?: 'summarized' | 'omitted' | undefined };

export type ThinkingEnabled = {
  type: 'enabled';
  budgetTokens?: number | undefined;
  display?: 'summarized' | 'omitted' | undefined;
};

export type ThinkingDisabled = { type: 'disabled' };

export type ThinkingConfig = ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled;

export type OutputFormatType = 'json_schema';

export type BaseOutputFormat = { type: OutputFormatType };

export type JsonSchemaOutputFormat = { type: 'json_schema'; schema: Record<string, unknown> };

export type OutputFormat = JsonSchemaOutputFormat;

export type ToolConfig = {
  askUserQuestion?: { previewFormat?: 'markdown' | 'html' | undefined } | undefined;
};

export type SystemPromptOption =
  | string
  | string[]
  | { type: 'custom'; prompt: string | string[]; snapshot?: boolean | undefined }
  | {
      type: 'preset';
      preset: 'claude_code';
      append?: string | undefined;
      excludeDynamicSections?: boolean | undefined;
      snapshot?: boolean | undefined;
    };

export type ToolsOption = string[] | { type: 'preset'; preset: 'claude_code' };

type Environment = { [name: string]: string | undefined };

export interface SpawnOptions {
  command: string;
  args: string[];
  cwd?: string;
  env: Environment;
  signal: AbortSignal;
}

type ExitListener = (code: number | null, signal: NodeJS.Signals | null) => void;
type ErrorListener = (error: Error) => void;

/** The part of a child process that is used; `ChildProcess` of Node satisfies it. */
export interface SpawnedProcess {
  stdin: Writable;
  stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signalCode?: NodeJS.Signals | null | undefined;
  kill(signal: NodeJS.Signals): boolean;
  on(event: 'exit', listener: ExitListener): void;
  on(event: 'error', listener: ErrorListener): void;
  once(event: 'exit', listener: ExitListener): void;
  once(event: 'error', listener: ErrorListener): void;
  off(event: 'exit', listener: ExitListener): void;
  off(event: 'error', listener: ErrorListener): void;
}

export interface DebugEvent {
  kind: string;
  message: string;
  data?: unknown;
}

type OfficialOptions = {
  abortController?: AbortController | undefined;
  additionalDirectories?: string[] | undefined;
  agent?: string | undefined;
  agentProgressSummaries?: boolean | undefined;
  agents?: Record<string, AgentDefinition> | undefined;
  allowDangerouslySkipPermissions?: boolean | undefined;
  allowedTools?: string[] | undefined;
  betas?: SdkBeta[] | undefined;
  canUseTool?: CanUseTool | undefined;
  continue?: boolean | undefined;
  cwd?: string | undefined;
  debug?: boolean | undefined;
  debugFile?: string | undefined;
  disallowedTools?: string[] | undefined;
  effort?: EffortLevel | undefined;
  enableFileCheckpointing?: boolean | undefined;
  /** Replaces the environment instead of adding to it; only what no program can do without is inherited. */
  env?: Environment | undefined;
  executable?: 'bun' | 'deno' | 'node' | undefined;
  executableArgs?: string[] | undefined;
  /** Further flags without their dashes; `null` for a flag without a value. */
  extraArgs?: Record<string, string | null> | undefined;
  fallbackModel?: string | undefined;
  forkSession?: boolean | undefined;
  forwardSubagentText?: boolean | undefined;
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[] | undefined>> | undefined;
  includeHookEvents?: boolean | undefined;
  includePartialMessages?: boolean | undefined;
  /** How long each reading call of `sessionStore` may take; 60 seconds unless given. */
  loadTimeoutMs?: number | undefined;
  managedSettings?: Settings | undefined;
  maxBudgetUsd?: number | undefined;
  maxThinkingTokens?: number | undefined;
  maxTurns?: number | undefined;
  mcpServers?: Record<string, McpServerConfig> | undefined;
  model?: string | undefined;
  onElicitation?: OnElicitation | undefined;
  onUserDialog?: OnUserDialog | undefined;
  outputFormat?: OutputFormat | undefined;
  pathToClaudeCodeExecutable?: string | undefined;
  perTaskStopAffordance?: boolean | undefined;
  permissionMode?: PermissionMode | undefined;
  permissionPromptToolName?: string | undefined;
  permissionPrompts?: 'host' | 'none' | undefined;
  persistSession?: boolean | undefined;
  planModeInstructions?: string | undefined;
  pluginDelivery?: 'argv' | 'initialize' | undefined;
  plugins?: SdkPluginConfig[] | undefined;
  projectConfigRoot?: string | undefined;
  promptSuggestions?: boolean | undefined;
  resume?: string | undefined;
  resumeDropsTurn?: string | undefined;
  resumeSessionAt?: string | undefined;
  sandbox?: SandboxSettings | undefined;
  sessionId?: string | undefined;
  /** Where the conversation is kept besides the CLI's own files, and from where it is gone on with. */
  sessionStore?: SessionStore | undefined;
  /** `batched` unless given: at the end of a turn. */
  sessionStoreFlush?: SessionStoreFlush | undefined;
  settingSources?: SettingSource[] | undefined;
  /** A path, or the settings themselves. */
  settings?: string | Settings | undefined;
  skills?: string[] | 'all' | undefined;
  spawnClaudeCodeProcess?: ((options: SpawnOptions) => SpawnedProcess) | undefined;
  stderr?: ((data: string) => void) | undefined;
  strictMcpConfig?: boolean | undefined;
  supportedDialogKinds?: string[] | undefined;
  /** Absent means an empty prompt; the agent's own prompt is the preset. */
  systemPrompt?: SystemPromptOption | undefined;
  taskBudget?: { total: number } | undefined;
  thinking?: ThinkingConfig | undefined;
  title?: string | undefined;
  toolAliases?: Record<string, string> | undefined;
  toolConfig?: ToolConfig | undefined;
  tools?: ToolsOption | undefined;
  verbatimPrompts?: boolean | undefined;
};

type TenonOptions = {
  /** The agent itself, in place of the Claude Code CLI: see `embedded()` in `tenon/runtime`. */
  runtime?: AgentRuntime | undefined;
  /** Nothing of this machine's configuration is read, and nothing is kept: only what the options say. */
  hermetic?: boolean | undefined;
  /** 'session': the CLI gets a configuration directory of its own, so that parallel ones share no file that changes. */
  isolation?: 'session' | undefined;
  /** Holds the first prompt back until these MCP servers are connected or have failed; true: all. */
  mcpReady?: boolean | McpReadyOptions | undefined;
  /** Told of the state of each MCP server, and of every change. */
  onMcpStatus?: ((change: McpStatusChange) => void) | undefined;
  /** Aborts the query, like `abortController`; both may be given. */
  signal?: AbortSignal | undefined;
  /** Longest line accepted from the agent, in bytes; no limit unless given. */
  maxLineBytes?: number | undefined;
  /** Answers in-process servers that ask for a model's words; without it they hear an error at once. */
  onSampling?: OnSampling | undefined;
  /** How many bytes of messages may wait for the consumer; 64 MB unless given. */
  maxUnreadBytes?: number | undefined;
  /** Default true: an error result is delivered and then thrown as `ResultError`; false: the loop just ends. */
  throwOnErrorResult?: boolean | undefined;
  /** How long the agent may take from its start to its first line. */
  startupTimeoutMs?: number | undefined;
  /** How long the agent may take to leave by itself after its input ended, before it gets a signal. */
  closeGraceMs?: number | undefined;
  /** How long a control request may stay unanswered. */
  controlTimeoutMs?: number | undefined;
  /** Told of what is neither a message nor an error, such as a line that was skipped. */
  onDebug?: ((event: DebugEvent) => void) | undefined;
};

export type Options = OfficialOptions & TenonOptions;
