// Everything a caller may set on a query. The first part has the names and shapes of the official SDK; the
// rest is Tenon's own. Optional fields accept `undefined`, so that callers can pass values through.

import type { Readable, Writable } from 'node:stream';
import type { CallMiddleware } from '../mcp/call-middleware.js';
import type { McpReadyOptions, McpStatusChange } from '../mcp/status.js';
import type { McpServerConfig } from '../mcp/types.js';
import type { CanUseTool, PermissionMode } from '../protocol/permissions/permissions.js';
import type { OnFrame } from '../protocol/transport/tapped-transport.js';
import type { AgentDefinition, SdkPluginConfig } from '../protocol/wire/agents.js';
import type { EffortLevel } from '../protocol/wire/control-payloads.js';
import type { HookCallbackMatcher, HookEvent } from '../protocol/wire/hooks.js';
import type { OnElicitation, OnSampling, OnUserDialog } from '../protocol/wire/host-callbacks.js';
import type { SessionStore, SessionStoreFlush } from '../protocol/wire/session-store.js';
import type { SandboxSettings, SettingSource, Settings } from '../protocol/wire/settings.js';
import type { AgentRuntime, OpenTransport } from './agent-runtime.js';

export type { AgentDefinition, AgentMcpServerSpec, SdkPluginConfig } from '../protocol/wire/agents.js';
export type { EffortLevel } from '../protocol/wire/control-payloads.js';
export type {
  SandboxCredentialsConfig,
  SandboxFilesystemConfig,
  SandboxIgnoreViolations,
  SandboxNetworkConfig,
  SandboxSettings,
  SettingSource,
  Settings,
} from '../protocol/wire/settings.js';

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

/** The part of a child process that Tenon uses; Node's `ChildProcess` satisfies it. */
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
  /**
   * Replaces the environment instead of adding to it; only variables that practically every program needs
   * are inherited.
   */
  env?: Environment | undefined;
  executable?: 'bun' | 'deno' | 'node' | undefined;
  executableArgs?: string[] | undefined;
  /** Additional flags without their dashes; `null` for a flag without a value. */
  extraArgs?: Record<string, string | null> | undefined;
  fallbackModel?: string | undefined;
  forkSession?: boolean | undefined;
  forwardSubagentText?: boolean | undefined;
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[] | undefined>> | undefined;
  includeHookEvents?: boolean | undefined;
  includePartialMessages?: boolean | undefined;
  /** How long each call that reads from `sessionStore` may take; 60 seconds by default. */
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
  /** Where the conversation is stored in addition to the CLI's own files, and where it is resumed from. */
  sessionStore?: SessionStore | undefined;
  /** Default `batched`: at the end of each turn. */
  sessionStoreFlush?: SessionStoreFlush | undefined;
  settingSources?: SettingSource[] | undefined;
  /** The path of a file, or the settings themselves. */
  settings?: string | Settings | undefined;
  skills?: string[] | 'all' | undefined;
  spawnClaudeCodeProcess?: ((options: SpawnOptions) => SpawnedProcess) | undefined;
  stderr?: ((data: string) => void) | undefined;
  strictMcpConfig?: boolean | undefined;
  supportedDialogKinds?: string[] | undefined;
  /** Absent means an empty prompt; the agent's own prompt is the preset `claude_code`. */
  systemPrompt?: SystemPromptOption | undefined;
  taskBudget?: { total: number } | undefined;
  thinking?: ThinkingConfig | undefined;
  title?: string | undefined;
  toolAliases?: Record<string, string> | undefined;
  toolConfig?: ToolConfig | undefined;
  tools?: ToolsOption | undefined;
  verbatimPrompts?: boolean | undefined;
};

/** Where a conversation is recorded, and how much of it. */
export interface RecordOptions {
  /** A file, or a directory, in which every conversation gets a file of its own. */
  path: string;
  /** The longest that a recording becomes, in bytes; 64 MB by default. What follows is not recorded. */
  maxBytes?: number | undefined;
  /** In a longer frame, long texts are cut; 1 MB by default. */
  maxFrameBytes?: number | undefined;
  /** How many recordings are kept: in a directory the oldest is removed, a file is not recorded again. Default: 100. */
  maxRuns?: number | undefined;
  /** Whether it has what the model was asked and answered. Default: true. */
  exchanges?: boolean | undefined;
}

type TenonOptions = {
  /** The agent to use instead of the Claude Code CLI: see `embedded()` in `tenon/runtime`. */
  runtime?: AgentRuntime | undefined;
  /** Connects to an agent that runs elsewhere, instead of starting the CLI on this machine. */
  transport?: OpenTransport | undefined;
  /** This machine's configuration is not read and nothing is stored: only the options count. */
  hermetic?: boolean | undefined;
  /**
   * 'session': the CLI gets its own configuration directory, so that parallel sessions share no files that
   * change.
   */
  isolation?: 'session' | undefined;
  /** Delays the first prompt until these MCP servers have connected or failed; true: all of them. */
  mcpReady?: boolean | McpReadyOptions | undefined;
  /** Called with the state of each MCP server, and with every change. */
  onMcpStatus?: ((change: McpStatusChange) => void) | undefined;
  /** Aborts the query, like `abortController`; both may be given. */
  signal?: AbortSignal | undefined;
  /** The longest line accepted from the agent, in bytes; no limit by default. */
  maxLineBytes?: number | undefined;
  /**
   * Answers in-process servers that request a completion from a model; without it they get an error
   * immediately.
   */
  onSampling?: OnSampling | undefined;
  /** How many bytes of unread messages may be buffered; 64 MB by default. */
  maxUnreadBytes?: number | undefined;
  /** Default true: an error result is delivered and then thrown as `ResultError`; false: the loop just ends. */
  throwOnErrorResult?: boolean | undefined;
  /** How long the agent may take from its start to its first line. */
  startupTimeoutMs?: number | undefined;
  /** How long the agent may take to exit after its input has ended, before it gets a signal. */
  closeGraceMs?: number | undefined;
  /** How long a control request may stay unanswered. */
  controlTimeoutMs?: number | undefined;
  /** Unknown options, and options that the agent would ignore, are errors instead of warnings. */
  strictOptions?: boolean | undefined;
  /** Called for events that are neither messages nor errors, such as a line that was skipped. */
  onDebug?: ((event: DebugEvent) => void) | undefined;
  /** Called with every frame that passes between this process and the agent, in order. Never awaited. */
  onFrame?: OnFrame | undefined;
  /**
   * Records the conversation to a file that did not exist before, or to a new file in a directory. Secrets are left
   * out. If it cannot be written, there is a warning and the conversation goes on.
   */
  record?: string | RecordOptions | undefined;
  /** Wraps every call of a tool of an in-process server; the first is the outermost. */
  toolMiddleware?: readonly CallMiddleware[] | undefined;
};

export type Options = OfficialOptions & TenonOptions;
