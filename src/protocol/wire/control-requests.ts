// The one table of control subtypes: who may send each, its fields, and the payload of a successful answer.
// Field names are those of the wire, even where it is inconsistent (`serverName` and `server_name`).

import type { McpGetPromptResult, McpListPromptsResult, McpListResourcesResult } from '../../mcp/listings.js';
import type { McpServerStatus, McpSetServersResult } from '../../mcp/status.js';
import type {
  CallToolResult,
  ElicitResult,
  InitializeResult,
  JsonRpcMessage,
  JsonRpcResponse,
  ListToolsResult,
  McpAcknowledgement,
  McpServerConfigForProcessTransport,
  McpServerProvenance,
  McpServerToolPolicy,
} from '../../mcp/types.js';
import type { PermissionMode, PermissionResult, PermissionUpdate } from '../permissions/permissions.js';
import type { AgentDefinition, SdkPluginConfig } from './agents.js';
import type {
  ModelInfo,
  RewindFilesResult,
  SDKControlGetHooksListingResponse,
  SDKControlGetSettingsResponse,
  SDKControlGetTaskOutputResponse,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SDKControlListPermissionRulesResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlReadFileResponse,
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
} from './control-payloads.js';
import type { SDKControlGetContextUsageResponse, SDKControlGetUsageResponse } from './control-usage.js';
import type { ControlCancelFrame } from './frames.js';
import type { HookEvent, HookInput } from './hook-inputs.js';
import type { HookJSONOutput } from './hook-outputs.js';
import type { UserDialogResult } from './host-callbacks.js';

/** A request with only a subtype. */
export type NoFields = Record<never, never>;

/** A successful answer without content: an empty object or no payload at all. */
export type NoPayload = Record<string, unknown> | undefined;

type Call<Request, Response> = { request: Request; response: Response };

export type SDKHookCallbackMatcher = {
  matcher?: string | undefined;
  hookCallbackIds: string[];
  /** Seconds. */
  timeout?: number | undefined;
  onFailure?: 'continue' | 'block' | undefined;
};

/** A server's handshake answers, given in advance so that the agent need not ask. */
export type SdkMcpServerManifest = {
  initializeResult: InitializeResult | Record<string, unknown>;
  toolsListResult?: ListToolsResult | Record<string, unknown> | undefined;
};

export type InitializeRequest = {
  hooks?: Partial<Record<HookEvent, SDKHookCallbackMatcher[]>> | undefined;
  sdkMcpServers?: string[] | undefined;
  sdkMcpServerConfigs?:
    | Record<string, { timeout?: number | undefined; tools?: McpServerToolPolicy[] | undefined }>
    | undefined;
  sdkMcpServerManifests?: Record<string, SdkMcpServerManifest> | undefined;
  sdkMcpServerManifestsOrigin?: 'host_per_send' | undefined;
  jsonSchema?: Record<string, unknown> | undefined;
  /** Absent: the agent's own prompt. `['']`: an empty one. */
  systemPrompt?: string[] | undefined;
  appendSystemPrompt?: string | undefined;
  systemPromptSnapshot?: boolean | undefined;
  excludeDynamicSections?: boolean | undefined;
  planModeInstructions?: string | undefined;
  toolAliases?: Record<string, string> | undefined;
  agents?: Record<string, AgentDefinition> | undefined;
  title?: string | undefined;
  skills?: string[] | undefined;
  plugins?: SdkPluginConfig[] | undefined;
  promptSuggestions?: boolean | undefined;
  agentProgressSummaries?: boolean | undefined;
  forwardSubagentText?: boolean | undefined;
  perTaskStopAffordance?: boolean | undefined;
  supportedDialogKinds?: string[] | undefined;
};

export type McpCallRequest = {
  /** The name the model uses, `mcp__server__tool`. */
  tool: string;
  arguments?: Record<string, unknown> | undefined;
  expires_at?: string | undefined;
  timeout_ms?: number | undefined;
  result_not_for_model?: boolean | undefined;
  check_permissions?: boolean | undefined;
  input_files?: { name: string; lane_path: string }[] | undefined;
  output_files?: { name: string; lane_path: string; if_match?: string | undefined }[] | undefined;
};

type McpMessageRequest = { server_name: string; message: JsonRpcMessage };

/** Requests from the host to the agent. */
export interface HostRequests {
  claim_session: Call<ClaimSessionRequest, ClaimSessionPayload>;
  initialize: Call<InitializeRequest, SDKControlInitializeResponse>;
  interrupt: Call<{ cancel_queued?: boolean | undefined }, SDKControlInterruptResponse | undefined>;
  end_session: Call<NoFields, NoPayload>;

  set_model: Call<{ model?: string | null | undefined }, { model: string }>;
  set_permission_mode: Call<{ mode: PermissionMode }, { mode: PermissionMode }>;
  set_max_thinking_tokens: Call<
    {
      max_thinking_tokens?: number | null | undefined;
      thinking_display?: 'summarized' | 'omitted' | 'highlights' | null | undefined;
    },
    NoPayload
  >;

  mcp_status: Call<{ liveReply?: boolean | undefined }, { mcpServers: McpServerStatus[] }>;
  mcp_set_servers: Call<{ servers: Record<string, McpServerConfigForProcessTransport> }, McpSetServersResult>;
  mcp_toggle: Call<{ serverName: string; enabled: boolean }, NoPayload>;
  mcp_reconnect: Call<{ serverName: string }, NoPayload>;
  mcp_call: Call<McpCallRequest, CallToolResult>;
  mcp_read_resource: Call<{ serverName: string; uri: string }, SDKControlMcpReadResourceResponse>;
  // These three are Tenon's own: the CLI answers them with `unsupported_request`.
  mcp_list_resources: Call<{ serverName?: string | undefined }, McpListResourcesResult>;
  mcp_list_prompts: Call<{ serverName?: string | undefined }, McpListPromptsResult>;
  mcp_get_prompt: Call<
    { serverName: string; name: string; arguments?: Record<string, string> | undefined },
    McpGetPromptResult
  >;
  mcp_message: Call<McpMessageRequest, NoPayload>;
  set_mcp_permission_mode_override: Call<
    { serverName: string; mode: 'default' | 'auto' | null },
    { warning?: string }
  >;

  get_context_usage: Call<{ detail?: 'summary' | 'full' | undefined }, SDKControlGetContextUsageResponse>;
  get_session_cost: Call<NoFields, { text: string }>;
  get_usage: Call<{ skip_behaviors?: boolean | undefined }, SDKControlGetUsageResponse>;
  get_binary_version: Call<NoFields, { version: string; buildTime: string }>;
  list_models: Call<NoFields, { models: ModelInfo[] }>;
  get_settings: Call<NoFields, SDKControlGetSettingsResponse>;
  list_permission_rules: Call<NoFields, SDKControlListPermissionRulesResponse>;
  get_hooks_listing: Call<NoFields, SDKControlGetHooksListingResponse>;

  apply_flag_settings: Call<{ settings: Record<string, unknown> }, NoPayload>;
  update_settings: Call<
    { source: 'localSettings' | 'userSettings'; settings: Record<string, unknown> },
    NoPayload
  >;

  read_file: Call<
    { path: string; max_bytes?: number | undefined; encoding?: 'utf-8' | 'base64' | undefined },
    SDKControlReadFileResponse | null
  >;
  file_suggestions: Call<{ query: string }, { suggestions: unknown[]; cwd: string }>;
  register_repo_root: Call<
    {
      directory: string;
      reload_claude_md?: boolean | undefined;
      reload_plugins?: boolean | undefined;
      reload_skills?: boolean | undefined;
    },
    NoPayload
  >;
  rewind_files: Call<{ user_message_id: string; dry_run?: boolean | undefined }, RewindFilesResult>;
  seed_read_state: Call<{ path: string; mtime: number }, NoPayload>;

  rename_session: Call<
    { title: string; source?: 'remote' | 'host' | undefined; session_id?: string | undefined },
    NoPayload
  >;
  set_color: Call<{ color: string }, NoPayload>;
  set_has_subscribers: Call<{ has_subscribers: boolean | null }, NoPayload>;

  reload_skills: Call<NoFields, SDKControlReloadSkillsResponse>;
  reload_plugins: Call<
    {
      hold_on_cache_impact?: boolean | undefined;
      add_plugins?: SdkPluginConfig[] | undefined;
      refuse_if_busy?: boolean | undefined;
    },
    SDKControlReloadPluginsResponse
  >;
  reload_output_styles: Call<NoFields, SDKControlReloadOutputStylesResponse>;

  stop_task: Call<{ task_id: string }, NoPayload>;
  background_tasks: Call<{ tool_use_id?: string | undefined }, NoPayload>;
  get_task_output: Call<{ task_id: string }, SDKControlGetTaskOutputResponse>;
  cancel_async_message: Call<{ message_uuid: string }, { cancelled: boolean }>;
}

export type CanUseToolRequest = {
  tool_name: string;
  input: Record<string, unknown>;
  tool_use_id: string;
  mcp_server?: McpServerProvenance;
  permission_suggestions?: PermissionUpdate[];
  blocked_path?: string;
  decision_reason?: string;
  decision_reason_type?:
    | 'rule'
    | 'mode'
    | 'subcommandResults'
    | 'permissionPromptTool'
    | 'hook'
    | 'asyncAgent'
    | 'sandboxOverride'
    | 'workingDir'
    | 'safetyCheck'
    | 'classifier'
    | 'other';
  classifier_approvable?: boolean;
  suppress_always_allow_rule?: boolean;
  default_to_no?: boolean;
  matched_ask_rule?: { source: string; tool_name: string; rule_content?: string };
  title?: string;
  display_name?: string;
  description?: string;
  agent_id?: string;
  requires_user_interaction?: boolean;
  // Seen on the wire, not in the official typings.
  decision_reason_hook_event?: string;
  decision_reason_hook_source?: string;
  decision_reason_rule_source?: string;
  server_policy_ask_only?: boolean;
};

export type HookCallbackRequest = { callback_id: string; input: HookInput; tool_use_id?: string };

export type ElicitationControlRequest = {
  mcp_server_name: string;
  message: string;
  mode?: 'form' | 'url';
  url?: string;
  elicitation_id?: string;
  requested_schema?: Record<string, unknown>;
  property_order?: string[];
  title?: string;
  display_name?: string;
  description?: string;
};

export type UserDialogControlRequest = {
  dialog_kind: string;
  payload: Record<string, unknown>;
  tool_use_id?: string;
};

/** Binds an agent started without a session (`--await-claim`). */
export type ClaimSessionRequest = {
  cwd: string;
  env?: Record<string, string> | undefined;
  permission_mode?: PermissionMode | undefined;
  additional_directories?: string[] | undefined;
  append_system_prompt?: string | undefined;
  title?: string | undefined;
  agents?: Record<string, AgentDefinition> | undefined;
  sdk_mcp_servers?: string[] | undefined;
  include_initialize?: boolean | undefined;
};

export type ClaimSessionPayload = {
  cwd: string;
  session_id: string;
  parked_ms?: number;
  sdk_mcp_settled?: boolean;
  initialize?: SDKControlInitializeResponse;
};

/** Requests from the agent to the host. */
export interface AgentRequests {
  can_use_tool: Call<CanUseToolRequest, PermissionResult>;
  hook_callback: Call<HookCallbackRequest, HookJSONOutput>;
  /**
   * A notification is acknowledged with an object too; without one, the agent treats the server as failed.
   */
  mcp_message: Call<McpMessageRequest, { mcp_response?: JsonRpcResponse | McpAcknowledgement | null }>;
  elicitation: Call<ElicitationControlRequest, ElicitResult>;
  request_user_dialog: Call<UserDialogControlRequest, UserDialogResult>;
}

export type HostSubtype = keyof HostRequests;
export type AgentSubtype = keyof AgentRequests;
export type ControlSubtype = HostSubtype | AgentSubtype;

export type HostRequestFields<Subtype extends HostSubtype> = HostRequests[Subtype]['request'];
export type HostRequestPayload<Subtype extends HostSubtype> = HostRequests[Subtype]['response'];
export type AgentRequestFields<Subtype extends AgentSubtype> = AgentRequests[Subtype]['request'];
export type AgentRequestPayload<Subtype extends AgentSubtype> = AgentRequests[Subtype]['response'];

/** Who may send each subtype. */
export const CONTROL_SUBTYPES = {
  claim_session: 'host',
  initialize: 'host',
  interrupt: 'host',
  end_session: 'host',
  set_model: 'host',
  set_permission_mode: 'host',
  set_max_thinking_tokens: 'host',
  mcp_status: 'host',
  mcp_set_servers: 'host',
  mcp_toggle: 'host',
  mcp_reconnect: 'host',
  mcp_call: 'host',
  mcp_read_resource: 'host',
  mcp_list_resources: 'host',
  mcp_list_prompts: 'host',
  mcp_get_prompt: 'host',
  mcp_message: 'both',
  set_mcp_permission_mode_override: 'host',
  get_context_usage: 'host',
  get_session_cost: 'host',
  get_usage: 'host',
  get_binary_version: 'host',
  list_models: 'host',
  get_settings: 'host',
  list_permission_rules: 'host',
  get_hooks_listing: 'host',
  apply_flag_settings: 'host',
  update_settings: 'host',
  read_file: 'host',
  file_suggestions: 'host',
  register_repo_root: 'host',
  rewind_files: 'host',
  seed_read_state: 'host',
  rename_session: 'host',
  set_color: 'host',
  set_has_subscribers: 'host',
  reload_skills: 'host',
  reload_plugins: 'host',
  reload_output_styles: 'host',
  stop_task: 'host',
  background_tasks: 'host',
  get_task_output: 'host',
  cancel_async_message: 'host',
  can_use_tool: 'agent',
  hook_callback: 'agent',
  elicitation: 'agent',
  request_user_dialog: 'agent',
} as const satisfies Record<ControlSubtype, 'host' | 'agent' | 'both'>;

type WithSubtype<Table, Subtype extends keyof Table> = Subtype extends unknown
  ? { subtype: Subtype } & (Table[Subtype] extends { request: infer Fields } ? Fields : never)
  : never;

export type HostRequestBody = WithSubtype<HostRequests, HostSubtype>;
export type AgentRequestBody = WithSubtype<AgentRequests, AgentSubtype>;

export type SDKControlRequest = {
  type: 'control_request';
  request_id: string;
  request: HostRequestBody | AgentRequestBody;
};

type PendingRequests = {
  pending_permission_requests?: SDKControlRequest[];
  pending_user_dialog_requests?: SDKControlRequest[];
  pending_elicitation_requests?: SDKControlRequest[];
};

/** `error_code` is not always present; an example is `unsupported_request`. */
export type SDKControlResponse = {
  type: 'control_response';
  response: PendingRequests &
    (
      | { subtype: 'success'; request_id: string; response?: Record<string, unknown> }
      | { subtype: 'error'; request_id: string; error: string; error_code?: string }
    );
};

export type SDKControlCancelRequest = ControlCancelFrame;
