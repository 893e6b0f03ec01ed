// The end of a turn. A failed turn may still have `subtype: 'success'`: check `is_error`, or our `failure`.

import type { Message } from './envelope.js';
import type { FastModeDisabledReason, FastModeState, ModelUsage, NonNullableUsage } from './usage.js';
import type { SDKMessageOrigin } from './user.js';

export type TerminalReason =
  | 'blocking_limit'
  | 'rapid_refill_breaker'
  | 'prompt_too_long'
  | 'image_error'
  | 'model_error'
  | 'api_error'
  | 'malformed_tool_use_exhausted'
  | 'aborted_streaming'
  | 'aborted_tools'
  | 'stop_hook_prevented'
  | 'hook_stopped'
  | 'tool_deferred'
  | 'max_turns'
  | 'background_requested'
  | 'completed'
  | 'budget_exhausted'
  | 'structured_output_retry_exhausted'
  | 'tool_deferred_unavailable'
  | 'turn_setup_failed';

export type SDKStartupFailureReason =
  | 'org_pin_api_key_conflict'
  | 'provider_not_allowed'
  | 'org_verify_failed'
  | 'org_pin_mismatch'
  | 'managed_settings_invalid'
  | 'remote_settings_required_unavailable'
  | 'gateway_signin_required'
  | 'gateway_access_denied'
  | 'proxy_invalid'
  | 'temp_dir_unusable'
  | 'cwd_unavailable'
  | 'shell_tool_missing'
  | 'session_held_by_background'
  | 'worktree_resume_refused'
  | 'worktree_unverified'
  | 'cli_version_too_old'
  | 'bypass_root'
  | 'org_config_required_unavailable'
  | 'org_config_refused'
  | 'sandbox_required_unavailable'
  | 'initialize_not_first'
  | 'config_file_invalid'
  | 'managed_settings_not_delivered';

export type SDKPermissionDenial = {
  tool_name: string;
  tool_use_id: string;
  tool_input: Record<string, unknown>;
};

export type SDKDeferredToolUse = { id: string; name: string; input: Record<string, unknown> };

export type ResultFailureKind =
  | 'authentication'
  | 'permission'
  | 'billing'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'max_turns'
  | 'max_budget'
  | 'structured_output'
  | 'interrupted'
  | 'session_not_found'
  | 'session_conflict'
  | 'execution'
  | 'unknown';

export interface ResultFailure {
  kind: ResultFailureKind;
  /** HTTP status of the API, if there was one. */
  status?: number;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** When the limit that was reached resets, from `SDKRateLimitInfo.resetsAt`. */
  resetsAt?: number;
  message: string;
}

type Outcome = {
  duration_ms: number;
  /** The time of the requests to the model, of the whole conversation up to here. */
  duration_api_ms: number;
  is_error: boolean;
  /** As the CLI counts: one, and one more for each tool result or reminder that the model was given. */
  num_turns: number;
  stop_reason: string | null;
  total_cost_usd: number;
  usage: NonNullableUsage;
  modelUsage: Record<string, ModelUsage>;
  permission_denials: SDKPermissionDenial[];
  queued_turn_count?: number;
  user_message_uuid?: string;
  user_message_uuids?: string[];
  resume_reason?: string;
  terminal_reason?: TerminalReason;
  result_index?: number;
  credential_expires_at?: string;
  fast_mode_state?: FastModeState;
  fast_mode_disabled_reason?: FastModeDisabledReason;
  origin?: SDKMessageOrigin;
  /** Tenon: no further result follows in this query. */
  final?: boolean;
  /** Tenon: set on everything that is not a true success. */
  failure?: ResultFailure;
};

type PostQueue = 'durable_post' | 'ephemeral_post' | 'retry_backoff' | 'hold' | 'none';

type Timings = {
  ttft_ms?: number;
  ttft_stream_ms?: number;
  time_to_request_ms?: number;
  request_sent_wall_ms?: number;
  first_content_frame_ms?: number;
  first_stream_post_ms?: number;
  first_stream_post_ack_ms?: number;
  first_stream_post_queue_wait_ms?: number;
  first_stream_post_queued_behind?: PostQueue;
  first_stream_post_wall_ms?: number;
  first_text_post_ms?: number;
  first_text_post_queue_wait_ms?: number;
  first_text_post_queued_behind?: PostQueue;
  first_text_post_wall_ms?: number;
  time_to_request_from_spawn_ms?: number;
  time_origin_ms?: number;
  warm_spare_claimed?: boolean;
};

export type SDKResultSuccess = Message<
  'result',
  Outcome &
    Timings & {
      subtype: 'success';
      result: string;
      api_error_status?: number | null;
      structured_output?: unknown;
      deferred_tool_use?: SDKDeferredToolUse;
      local_command?: string;
    }
>;

export type SDKResultError = Message<
  'result',
  Outcome & {
    subtype:
      | 'error_during_execution'
      | 'error_max_turns'
      | 'error_max_budget_usd'
      | 'error_max_structured_output_retries';
    errors: string[];
    startup_failure_reason?: SDKStartupFailureReason;
    invalid_config_file?: {
      path: string;
      is_global: boolean;
      backup_searched: boolean;
      backup_path?: string;
    };
  }
>;

export type SDKResultMessage = SDKResultSuccess | SDKResultError;
