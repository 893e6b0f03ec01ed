import type { McpGetPromptResult, McpListPromptsResult, McpListResourcesResult } from '../../mcp/listings.js';
import type {
  McpReadyOptions,
  McpServerStatus,
  McpSetServersResult,
  McpStatusChange,
} from '../../mcp/status.js';
import type { McpServerConfig } from '../../mcp/types.js';
import type { SdkPluginConfig } from '../../options/options.js';
import type { PermissionMode } from '../../protocol/permissions/permissions.js';
import type {
  AccountInfo,
  AgentInfo,
  ModelInfo,
  RewindFilesResult,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlReadFileResponse,
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
  SlashCommand,
} from '../../protocol/wire/control-payloads.js';
import type {
  HostRequestFields,
  HostRequestPayload,
  HostSubtype,
} from '../../protocol/wire/control-requests.js';
import type {
  SDKControlGetContextUsageResponse,
  SDKControlGetUsageResponse,
} from '../../protocol/wire/control-usage.js';
import type {
  SDKCompactBoundaryMessage,
  SDKMessage,
  SDKResultMessage,
  SDKUserMessage,
} from '../../protocol/wire/messages/index.js';
import type { ExitStatus } from '../conversation/ending.js';
import type { McpReadiness } from '../mcp/mcp-controls.js';

/**
 * A running agent: its messages, and methods to control it. Names and shapes are those of the official SDK.
 */
export interface Query extends AsyncGenerator<SDKMessage, void>, AsyncDisposable {
  interrupt(): Promise<SDKControlInterruptResponse | undefined>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  setMcpPermissionModeOverride(
    serverName: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{ warning?: string }>;
  setModel(model?: string): Promise<void>;
  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: 'summarized' | 'omitted' | 'highlights' | null,
  ): Promise<void>;
  applyFlagSettings(settings: object): Promise<void>;
  updateSettings(source: 'localSettings' | 'userSettings', settings: Record<string, unknown>): Promise<void>;
  initializationResult(): Promise<SDKControlInitializeResponse>;
  reinitialize(): Promise<SDKControlInitializeResponse>;
  supportedCommands(): Promise<SlashCommand[]>;
  supportedModels(): Promise<ModelInfo[]>;
  supportedAgents(): Promise<AgentInfo[]>;
  accountInfo(): Promise<AccountInfo>;
  mcpServerStatus(): Promise<McpServerStatus[]>;
  reconnectMcpServer(serverName: string): Promise<void>;
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  setMcpServers(servers: Record<string, McpServerConfig>): Promise<McpSetServersResult>;
  readMcpResource(serverName: string, uri: string): Promise<SDKControlMcpReadResourceResponse>;
  getContextUsage(options?: { detail?: 'summary' | 'full' }): Promise<SDKControlGetContextUsageResponse>;
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options?: {
    skipBehaviors?: boolean;
  }): Promise<SDKControlGetUsageResponse>;
  readFile(
    path: string,
    options?: { maxBytes?: number; encoding?: 'utf-8' | 'base64' },
  ): Promise<SDKControlReadFileResponse | null>;
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<RewindFilesResult>;
  seedReadState(path: string, mtime: number): Promise<void>;
  reloadPlugins(options?: {
    holdOnCacheImpact?: boolean;
    addPlugins?: SdkPluginConfig[];
    refuseIfBusy?: boolean;
  }): Promise<SDKControlReloadPluginsResponse>;
  reloadSkills(): Promise<SDKControlReloadSkillsResponse>;
  reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse>;
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  stopTask(taskId: string): Promise<void>;
  backgroundTasks(toolUseId?: string): Promise<boolean>;

  /**
   * Stops immediately. The official SDK returns nothing here; ours resolves when the agent's process has
   * exited.
   */
  close(): Promise<void>;

  /** Tenon's own: the id of the agent's process, also after it has exited. */
  readonly pid: number | undefined;
  /** Tenon's own: how the agent's process ended. Never rejects. */
  readonly exited: Promise<ExitStatus>;
  /** Tenon's own: the last result; rejects when there is none. */
  readonly done: Promise<SDKResultMessage>;
  /**
   * Tenon's own: resolves when the MCP servers have connected, failed or been disabled, and reports which.
   */
  mcpReady(options?: McpReadyOptions): Promise<McpReadiness>;
  /** Tenon's own: the state of each MCP server, then every change, until the query ends. */
  mcpStatusChanges(): AsyncGenerator<McpStatusChange, void>;
  /**
   * Tenon's own: what one server offers, or all of them. For all, `errors` names those that could not be
   * asked.
   */
  listMcpResources(serverName?: string): Promise<McpListResourcesResult>;
  listMcpPrompts(serverName?: string): Promise<McpListPromptsResult>;
  getMcpPrompt(serverName: string, name: string, args?: Record<string, string>): Promise<McpGetPromptResult>;
  /**
   * Tenon's own: replaces what was said by a summary, as the prompt `/compact` does; `instructions` say what the
   * summary should keep. Resolves with what the agent says about it, or undefined if there was nothing to summarize.
   */
  compact(instructions?: string): Promise<SDKCompactBoundaryMessage['compact_metadata'] | undefined>;
  /** Tenon's own: any request of the protocol, including those without a method here. */
  controlRequest<Subtype extends HostSubtype>(
    subtype: Subtype,
    fields: HostRequestFields<Subtype>,
  ): Promise<HostRequestPayload<Subtype>>;
}
