// The model's output: whole blocks, and parts of them.

import type { Uuid as UUID } from '../../base/clock.js';
import type { ApiMessage, ApiStreamEvent } from '../content-of-peer.js';
import type { Message } from './envelope.js';
import type { SDKContextUsage, SDKUsageReport } from './usage.js';

export type SDKAssistantMessageError =
  | 'authentication_failed'
  | 'oauth_org_not_allowed'
  | 'account_on_hold'
  | 'verification_required'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'unknown'
  | 'max_output_tokens'
  | 'cloud_credential_error';

/** Which user messages an answer belongs to. */
type Answers = {
  user_message_uuid?: string;
  user_message_uuids?: string[];
  resume_reason?: string;
};

export type SDKAssistantMessage = Message<
  'assistant',
  Answers & {
    message: ApiMessage;
    parent_tool_use_id: string | null;
    error?: SDKAssistantMessageError;
    request_id?: string;
    resumed_from_incomplete_thinking?: true;
    supersedes?: UUID[];
    aborted?: true;
    agent_id?: string;
    subagent_type?: string;
    task_description?: string;
    timestamp?: string;
    context_usage?: SDKContextUsage;
    usage_report?: SDKUsageReport;
    // Seen on the wire, not in the official typings.
    is_api_error_message?: boolean;
    api_error_status?: number | null;
    api_error_type?: string | null;
    tool_use_meta?: {
      id: string;
      display_name?: string;
      server_display_name?: string;
      tool_name?: string;
    }[];
  }
>;

export type SDKPartialAssistantMessage = Message<
  'stream_event',
  Answers & { event: ApiStreamEvent; parent_tool_use_id: string | null; ttft_ms?: number }
>;
