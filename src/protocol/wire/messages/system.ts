// Messages of type `system` about the state of the session. Those about tasks and hooks are in activity.ts.

import type { Uuid as UUID } from '../../base/clock.js';
import type { PermissionMode } from '../../permissions/permissions.js';
import type { EffortLevel, SlashCommand } from '../control-payloads.js';
import type { SDKAssistantMessageError } from './assistant.js';
import type { SystemMessage } from './envelope.js';
import type { FastModeDisabledReason, FastModeState } from './usage.js';

export type ApiKeySource =
  | 'ANTHROPIC_API_KEY'
  | 'apiKeyHelper'
  | '/login managed key'
  | 'none'
  | 'user'
  | 'project'
  | 'org'
  | 'temporary'
  | 'oauth';

/** Sent at the start of every turn, not once per process. */
export type SDKSystemMessage = SystemMessage<
  'init',
  {
    agents?: string[];
    apiKeySource: ApiKeySource;
    betas?: string[];
    claude_code_version: string;
    cwd: string;
    tools: string[];
    mcp_servers: { name: string; status: string; source?: string }[];
    model: string;
    permissionMode: PermissionMode;
    slash_commands: string[];
    terminal_slash_commands?: string[];
    output_style: string;
    skills: string[];
    plugins: { name: string; path: string; version?: string }[];
    plugin_errors?: {
      plugin: string;
      type: string;
      message: string;
      path?: string;
      managed_lock?: { plugin_enabled: boolean; name: string; marketplace?: string };
    }[];
    fast_mode_state?: FastModeState;
    fast_mode_disabled_reason?: FastModeDisabledReason;
    effort?: EffortLevel | null;
    view_mode?: 'focus' | 'default';
    capabilities?: string[];
  }
>;

export type SDKStatus = 'compacting' | 'requesting' | null;

export type SDKStatusMessage = SystemMessage<
  'status',
  {
    status: SDKStatus;
    permissionMode?: PermissionMode;
    compact_result?: 'success' | 'failed';
    compact_error?: string;
  }
>;

export type SDKSessionStateChangedMessage = SystemMessage<
  'session_state_changed',
  {
    state: 'idle' | 'running' | 'requires_action';
    /** Seen on the wire: the line is for the SDK and is not delivered. */
    sdk_host_only?: boolean;
  }
>;

export type SDKCompactBoundaryMessage = SystemMessage<
  'compact_boundary',
  {
    compact_metadata: {
      trigger: 'manual' | 'auto';
      pre_tokens: number;
      post_tokens?: number;
      /** Seen on the wire: what all compactions of the conversation have taken away. */
      cumulative_dropped_tokens?: number;
      duration_ms?: number;
      preserved_segment?: { head_uuid: UUID; anchor_uuid: UUID; tail_uuid: UUID };
      preserved_messages?: { anchor_uuid: UUID; uuids: UUID[]; all_uuids?: UUID[] };
    };
  }
>;

export type SDKAPIRetryMessage = SystemMessage<
  'api_retry',
  {
    attempt: number;
    max_retries: number;
    retry_delay_ms: number;
    error_status: number | null;
    error: SDKAssistantMessageError;
    no_response?: { waited_ms: number; retry_wait_ms: number };
  }
>;

export type SDKControlRequestProgressMessage = SystemMessage<
  'control_request_progress',
  {
    request_id: string;
    status: 'started' | 'api_retry';
    attempt?: number;
    max_retries?: number;
    retry_delay_ms?: number;
    error_status?: number | null;
  }
>;

type Refusal = {
  original_model: string;
  request_id: string | null;
  api_refusal_category?: string | null;
  api_refusal_explanation?: string | null;
  refused_user_message_uuid?: string | null;
  content: string;
};

export type SDKModelRefusalFallbackMessage = SystemMessage<
  'model_refusal_fallback',
  Refusal & {
    trigger: 'refusal';
    direction: 'retry' | 'revert' | 'sticky';
    scope?: 'session' | 'local';
    fallback_model: string;
    retracted_message_uuids?: string[];
  }
>;

export type SDKModelRefusalNoFallbackMessage = SystemMessage<'model_refusal_no_fallback', Refusal>;

export type SDKLocalCommandOutputMessage = SystemMessage<'local_command_output', { content: string }>;

export type SDKPluginInstallMessage = SystemMessage<
  'plugin_install',
  { status: 'started' | 'installed' | 'failed' | 'completed'; name?: string; error?: string }
>;

export type SDKThinkingTokensMessage = SystemMessage<
  'thinking_tokens',
  { estimated_tokens: number; estimated_tokens_delta: number; user_message_uuid?: string }
>;

export type SDKWorkerShuttingDownMessage = SystemMessage<'worker_shutting_down', { reason: string }>;

export type SDKCommandsChangedMessage = SystemMessage<'commands_changed', { commands: SlashCommand[] }>;

export type SDKNotificationMessage = SystemMessage<
  'notification',
  {
    key: string;
    text: string;
    priority: 'low' | 'medium' | 'high' | 'immediate';
    color?: string;
    timeout_ms?: number;
  }
>;

export type SDKInformationalMessage = SystemMessage<
  'informational',
  {
    content: string;
    level: 'info' | 'notice' | 'suggestion' | 'warning';
    tool_use_id?: string;
    prevent_continuation?: boolean;
    tag?: string;
    /** Tenon, with the tag `frame_dropped`: something the agent sent was not delivered. */
    dropped?: { reason: 'too_long' | 'malformed'; byte_length: number };
  }
>;

export type SDKFilesPersistedEvent = SystemMessage<
  'files_persisted',
  {
    files: { filename: string; file_id: string }[];
    failed: { filename: string; error: string }[];
    processed_at: string;
  }
>;

export type SDKMemoryRecallMessage = SystemMessage<
  'memory_recall',
  {
    mode: 'select' | 'synthesize';
    memories: { path: string; scope: 'personal' | 'team' | 'organization'; content?: string }[];
  }
>;

export type SDKElicitationCompleteMessage = SystemMessage<
  'elicitation_complete',
  { mcp_server_name: string; elicitation_id: string }
>;

export type SDKPermissionDeniedMessage = SystemMessage<
  'permission_denied',
  {
    tool_name: string;
    tool_use_id: string;
    agent_id?: string;
    decision_reason_type?: string;
    decision_reason?: string;
    message: string;
  }
>;

export type SDKMirrorErrorMessage = SystemMessage<
  'mirror_error',
  { error: string; key: { projectKey: string; sessionId: string; subpath?: string } }
>;

export type SDKSessionWritesLostMessage = SystemMessage<
  'session_writes_lost',
  {
    error_code: 'ENOSPC' | 'EDQUOT';
    lost: ('transcript' | 'global_config')[];
    transcript_session_ids?: string[];
  }
>;
