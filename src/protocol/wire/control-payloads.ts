// The payloads of successful control requests, as far as users read them.

import type { McpServerStatus } from '../../mcp/status.js';
import type { PermissionBehavior, PermissionMode } from '../permissions/permissions.js';
import type { FastModeDisabledReason, FastModeState } from './messages/usage.js';

export type EffortLevel = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export type AccountInfo = {
  email?: string;
  organization?: string;
  subscriptionType?: string;
  tokenSource?: string;
  apiKeySource?: string;
  apiProvider?:
    | 'firstParty'
    | 'bedrock'
    | 'vertex'
    | 'foundry'
    | 'anthropicAws'
    | 'anthropicGoogleCloud'
    | 'mantle'
    | 'gateway';
};

export type AgentInfo = { name: string; description: string; model?: string };

export type ModelInfo = {
  value: string;
  resolvedModel?: string;
  displayName: string;
  description: string;
  supportsEffort?: boolean;
  supportedEffortLevels?: EffortLevel[];
  supportsAdaptiveThinking?: boolean;
  supportsFastMode?: boolean;
  supportsAutoMode?: boolean;
};

export type SlashCommand = {
  name: string;
  description: string;
  argumentHint: string;
  aliases?: string[];
  builtin?: boolean;
};

/** `parked`: the manifest was used and the agent sends no handshake for that server. */
export type ManifestOutcome =
  | 'parked'
  | 'already_connected'
  | 'protocol_version_mismatch'
  | 'malformed'
  | 'not_honoured';

export type SDKControlInitializeResponse = {
  commands: SlashCommand[];
  agents: AgentInfo[];
  output_style: string;
  available_output_styles: string[];
  models: ModelInfo[];
  account: AccountInfo;
  hooks_applied?: boolean;
  hook_on_failure_supported?: boolean;
  plugins_applied?: boolean;
  sdk_mcp_manifests_parked?: Record<string, ManifestOutcome>;
  claude_code_version?: string;
  fast_mode_state?: FastModeState;
  fast_mode_disabled_reason?: FastModeDisabledReason;
  // Seen on the wire, not in the official typings.
  pid?: number;
  current_permission_mode?: PermissionMode;
  session_state?: 'idle' | 'running' | 'requires_action';
  capabilities?: string[];
};

export type SDKControlInterruptResponse = { still_queued: string[]; cancelled?: string[] };

export type SDKControlReadFileResponse = {
  contents: string;
  absPath: string;
  truncated?: boolean;
  encoding?: 'base64';
  lossy?: boolean;
  requested_path?: string;
};

export type SDKControlReloadSkillsResponse = { skills: SlashCommand[] };

export type SDKControlReloadOutputStylesResponse = { available_output_styles: string[] };

export type SDKControlReloadPluginsResponse = {
  commands: SlashCommand[];
  agents: AgentInfo[];
  plugins: { name: string; path: string; source?: string; version?: string }[];
  mcpServers: McpServerStatus[];
  error_count: number;
  held?: boolean;
  cache_impact?: {
    mcp_servers_added: string[];
    mcp_servers_removed: string[];
    lsp_tool_change: 'adds' | 'may-add' | 'removes' | 'may-remove' | null;
  };
};

export type SDKControlMcpReadResourceResponse = {
  contents: {
    uri: string;
    mimeType?: string;
    text?: string;
    blob?: string;
    _meta?: Record<string, unknown>;
  }[];
};

export type RewindFilesResult = {
  canRewind: boolean;
  error?: string;
  filesChanged?: string[];
  insertions?: number;
  deletions?: number;
  skippedLinks?: number;
};

export type SDKControlGetTaskOutputResponse = { output: string; total_bytes: number; truncated: boolean };

export type SDKSettingsParseError = { file?: string; path: string; message: string };

export type SDKPermissionRuleDescription = { prefix: string; emphasis?: string; suffix?: string };

export type SDKPermissionRuleEntry = {
  behavior: PermissionBehavior;
  source:
    | 'userSettings'
    | 'projectSettings'
    | 'localSettings'
    | 'flagSettings'
    | 'policySettings'
    | 'cliArg'
    | 'command'
    | 'session'
    | 'mcpMount'
    | 'toolsNarrowing'
    | 'mcpServerPolicy'
    | 'hostCredential';
  rule: string;
  description?: SDKPermissionRuleDescription;
  editability: 'persistent' | 'session' | 'readonly';
  notInEffect?: boolean;
};

export type SDKPermissionWorkspaceDirectory = { path: string; source: string };

export type SDKControlPermissionRulesState = {
  rules: SDKPermissionRuleEntry[];
  workspaceDirectories: SDKPermissionWorkspaceDirectory[];
  originalCwd: string;
  managedOnly: boolean;
  errors?: SDKSettingsParseError[];
  withheld?: boolean;
};

export type SDKControlListPermissionRulesResponse = { state: SDKControlPermissionRulesState };

type HookEventListing = { name: string; summary: string; supportsMatcher: boolean };

export type SDKControlGetHooksListingResponse = {
  events: (HookEventListing & { hookCount: number })[];
  hooks: {
    event: string;
    matcher: string;
    source: string;
    sourceLabel: string;
    pluginName?: string;
    type: string;
    displayText: string;
    commandText: string;
    contentLabel: string;
    condition?: string;
    timeout?: number;
    statusMessage?: string;
    runsOnce?: boolean;
    runsInBackground?: boolean;
    disabled?: true;
    editable?: { matcher: string; config: Record<string, unknown>; headersRedacted?: true };
  }[];
  eventCatalog: HookEventListing[];
  policy: {
    disabledByPolicy: boolean;
    managedOnly: boolean;
    pluginOnly: boolean;
    allDisabled: boolean;
    policyHookCount: number;
    policyUnreadable?: true;
  };
  safeMode?: { managedHooksStillApply: boolean; exitHint: string };
  bareMode?: { exitHint: string };
  errors?: SDKSettingsParseError[];
};

export type SDKControlGetSettingsResponse = {
  effective: Record<string, unknown>;
  sources: unknown[];
  applied: { model?: string | null; effort?: EffortLevel | null; [key: string]: unknown };
};
