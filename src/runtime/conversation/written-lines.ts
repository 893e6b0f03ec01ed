// The lines that the runtime writes: messages of the protocol without the fields every line gets (`uuid`,
// `session_id`), plus fields that the CLI also writes although the official typings do not have them.

import type { AssistantContentBlock, TextBlockParam } from '../../protocol/wire/content.js';
import type {
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKBackgroundTasksChangedMessage,
  SDKCommandsChangedMessage,
  SDKCompactBoundaryMessage,
  SDKConversationResetMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKInformationalMessage,
  SDKMirrorErrorMessage,
  SDKPartialAssistantMessage,
  SDKPermissionDeniedMessage,
  SDKResultError,
  SDKResultSuccess,
  SDKSessionStateChangedMessage,
  SDKStatusMessage,
  SDKSystemMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKToolProgressMessage,
  SDKUserMessage,
} from '../../protocol/wire/messages/index.js';
import type { NonNullableUsage } from '../../protocol/wire/messages/usage.js';
import type { SubagentStats } from '../subagents/tally.js';
import type { TokenCounts } from '../turn/assistant-stream.js';

type Envelope = 'uuid' | 'session_id';
type Line<Message> = Omit<Message, Envelope>;
type Fields<Message> = Omit<Message, Envelope | 'type' | 'subtype'>;

/** The usage that an agent without server tools can report. */
export type ReportedUsage = TokenCounts &
  Pick<NonNullableUsage, 'server_tool_use' | 'cache_creation'> & {
    service_tier: NonNullableUsage['service_tier'] | null;
  };

/** Which messages of the host a line answers. */
export type AnsweredFields = { user_message_uuid?: string; user_message_uuids?: string[] };

/** What happened to a call, in addition to its result. */
export interface ToolResultMeta {
  id: string;
  non_execution_kind?: 'permission-rule' | 'user-rejected' | 'interrupted';
  permission_decision?: PermissionDecisionReport;
}

export interface PermissionDecisionReport {
  decision: 'accept' | 'reject';
  source: 'config' | 'hook' | 'user_permanent' | 'user_temporary' | 'user_reject';
  reason_type?: string;
}

export interface SystemLines {
  init: Fields<SDKSystemMessage> & AnsweredFields;
  status: Fields<SDKStatusMessage>;
  session_state_changed: Fields<SDKSessionStateChangedMessage>;
  informational: Fields<SDKInformationalMessage> & { prompt_submit_outcome?: PromptSubmitOutcome };
  compact_boundary: Fields<SDKCompactBoundaryMessage> & { logical_parent_uuid?: string | undefined };
  permission_denied: Fields<SDKPermissionDeniedMessage>;
  mirror_error: Fields<SDKMirrorErrorMessage>;
  commands_changed: Fields<SDKCommandsChangedMessage>;
  background_tasks_changed: Fields<SDKBackgroundTasksChangedMessage>;
  hook_started: Fields<SDKHookStartedMessage>;
  hook_response: Fields<SDKHookResponseMessage>;
  task_started: Fields<SDKTaskStartedMessage>;
  task_progress: Fields<SDKTaskProgressMessage>;
  task_updated: Fields<SDKTaskUpdatedMessage>;
  task_notification: Fields<SDKTaskNotificationMessage>;
  // A model may have its own errors.
  api_retry: Omit<Fields<SDKAPIRetryMessage>, 'error'> & { error: string };
  model_fallback: {
    trigger: 'overloaded' | 'model_not_found' | 'server_error';
    original_model: string;
    fallback_model: string;
    content: string;
  };
}

/** What a command that was run instead of a turn has printed. */
export interface LocalCommandFields {
  local_command_source: string;
  local_command_run?: { command: string; args: string };
  local_command_outcome?: { kind: 'failed' };
}

export interface PromptSubmitOutcome {
  kind: 'blocked_by_hook' | 'stopped_by_hook';
  prompt_kept: boolean;
  reason: string;
}

type SystemLine = {
  [Subtype in keyof SystemLines]: { type: 'system'; subtype: Subtype } & SystemLines[Subtype];
}[keyof SystemLines];

type AssistantBody = Pick<
  SDKAssistantMessage['message'],
  'id' | 'type' | 'role' | 'model' | 'stop_reason' | 'stop_sequence' | 'context_management'
> & {
  content: (AssistantContentBlock | TextBlockParam)[];
  usage: TokenCounts | ReportedUsage;
};

export type AssistantLine = Omit<Line<SDKAssistantMessage>, 'message'> & {
  message: AssistantBody;
} & Partial<LocalCommandFields>;

/** Additional fields of an answer. */
export type AssistantFields = Partial<Omit<AssistantLine, 'type' | 'message' | 'parent_tool_use_id'>>;

type UserLine = Line<SDKUserMessage> & { isReplay?: boolean; tool_result_meta?: ToolResultMeta[] };

export type UserFields = Omit<UserLine, 'type' | 'message' | 'parent_tool_use_id'> & { uuid?: string };

type ResultOf<Result extends SDKResultSuccess | SDKResultError> = Omit<Line<Result>, 'usage'> & {
  usage: ReportedUsage;
  api_error_type?: string;
  /** The command that was run instead of a turn. */
  local_command?: string;
  subagent_stats?: SubagentStats;
};

export type ResultLine = ResultOf<SDKResultSuccess> | ResultOf<SDKResultError>;

export type ToolProgressLine = Line<SDKToolProgressMessage>;

type LifecycleLine = {
  type: 'command_lifecycle';
  command_uuid: string;
  state: 'queued' | 'started' | 'completed';
};

type StreamLine = Line<SDKPartialAssistantMessage> & { api_message_id: string };

/** A line with a `uuid` keeps it; others get one. */
export type WrittenLine = { uuid?: string } & (
  | AssistantLine
  | UserLine
  | SystemLine
  | ResultLine
  | ToolProgressLine
  | StreamLine
  | LifecycleLine
  | Line<SDKConversationResetMessage>
);
