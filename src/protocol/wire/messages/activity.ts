// Work alongside the conversation: tools, tasks (including subagents), hooks, and the remaining top-level
// types.

import type { Uuid as UUID } from '../../base/clock.js';
import type { Message, SystemMessage } from './envelope.js';
import type { SDKRateLimitInfo } from './usage.js';

export type SDKToolProgressMessage = Message<
  'tool_progress',
  {
    tool_use_id: string;
    tool_name: string;
    parent_tool_use_id: string | null;
    elapsed_time_seconds: number;
    /** Tenon: what the tool has reported with `reportProgress()`. */
    progress?: number;
    total?: number;
    message?: string;
    task_id?: string;
    heartbeat?: boolean;
    subagent_type?: string;
    subagent_retry?: {
      agent_id: string;
      attempt: number;
      max_retries: number;
      retry_delay_ms: number;
      error_status: number | null;
      error_category: string;
    };
  }
>;

export type SDKToolUseSummaryMessage = Message<
  'tool_use_summary',
  { summary: string; preceding_tool_use_ids: string[] }
>;

type TaskId = { task_id: string; run_id?: string };
type TaskUsage = { total_tokens: number; tool_uses: number; duration_ms: number };

export type SDKMcpResourceLink = {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: Record<string, unknown>;
};

export type SDKTaskStartedMessage = SystemMessage<
  'task_started',
  TaskId & {
    tool_use_id?: string;
    description: string;
    subagent_type?: string;
    is_backgrounded?: boolean;
    spawn_depth?: number;
    parent_task_id?: string;
    task_type?: string;
    workflow_name?: string;
    prompt?: string;
    skip_transcript?: boolean;
    ambient?: boolean;
  }
>;

export type SDKTaskProgressMessage = SystemMessage<
  'task_progress',
  TaskId & {
    tool_use_id?: string;
    description: string;
    subagent_type?: string;
    usage: TaskUsage;
    last_tool_name?: string;
    summary?: string;
  }
>;

export type SDKTaskUpdatedMessage = SystemMessage<
  'task_updated',
  TaskId & {
    patch: {
      status?: 'pending' | 'running' | 'completed' | 'failed' | 'killed' | 'paused';
      description?: string;
      end_time?: number;
      total_paused_ms?: number;
      error?: string;
      is_backgrounded?: boolean;
    };
  }
>;

export type SDKTaskNotificationMessage = SystemMessage<
  'task_notification',
  TaskId & {
    tool_use_id?: string;
    status: 'completed' | 'failed' | 'stopped';
    reason?: 'worker_restart';
    output_file: string;
    summary: string;
    usage?: TaskUsage;
    resource_links?: SDKMcpResourceLink[];
    skip_transcript?: boolean;
    ambient?: boolean;
  }
>;

export type SDKBackgroundTasksChangedMessage = SystemMessage<
  'background_tasks_changed',
  {
    tasks: (TaskId & {
      task_type: string;
      subagent_type?: string;
      description: string;
      parent_task_id?: string;
      ambient?: boolean;
    })[];
  }
>;

type HookRun = { hook_id: string; hook_name: string; hook_event: string };
type HookOutput = { stdout: string; stderr: string; output: string };

export type SDKHookStartedMessage = SystemMessage<'hook_started', HookRun>;
export type SDKHookProgressMessage = SystemMessage<'hook_progress', HookRun & HookOutput>;
export type SDKHookResponseMessage = SystemMessage<
  'hook_response',
  HookRun & HookOutput & { exit_code?: number; outcome: 'success' | 'error' | 'cancelled' }
>;

export type SDKAuthStatusMessage = Message<
  'auth_status',
  { isAuthenticating: boolean; output: string[]; error?: string }
>;

export type SDKRateLimitEvent = Message<'rate_limit_event', { rate_limit_info: SDKRateLimitInfo }>;

export type SDKPromptSuggestionMessage = Message<'prompt_suggestion', { suggestion: string }>;

export type SDKConversationResetMessage = Message<
  'conversation_reset',
  {
    new_conversation_id: UUID;
    trigger?: 'clear' | 'plan_mode_exit' | 'fresh_session' | 'onboarding';
    user_message_uuid?: string;
    timestamp?: string;
  }
>;

/** Not part of `SDKMessage`, as in the official SDK. */
export type SDKActiveGoalMessage = Message<
  'active_goal',
  {
    value: {
      condition: string;
      iterations: number;
      set_at: number;
      tokens_at_start: number;
      last_reason?: string;
    } | null;
  }
>;
