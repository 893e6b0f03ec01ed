// What a hook may return. Optional fields admit `undefined`, because users write these objects.

import type { PermissionUpdate } from '../permissions/permissions.js';
import type { HookEvent } from './hook-inputs.js';

export type HookPermissionDecision = 'allow' | 'deny' | 'ask' | 'defer';

type Output<Event extends HookEvent, Fields> = { hookEventName: Event } & Fields;

type AddsContext = { additionalContext?: string | undefined };

export type PreToolUseHookSpecificOutput = Output<
  'PreToolUse',
  AddsContext & {
    permissionDecision?: HookPermissionDecision | undefined;
    permissionDecisionReason?: string | undefined;
    updatedInput?: Record<string, unknown> | undefined;
  }
>;

export type PostToolUseHookSpecificOutput = Output<
  'PostToolUse',
  AddsContext & {
    classifierContext?: string | undefined;
    updatedToolOutput?: unknown;
    updatedMCPToolOutput?: unknown;
  }
>;

export type PostToolUseFailureHookSpecificOutput = Output<'PostToolUseFailure', AddsContext>;
export type PostToolBatchHookSpecificOutput = Output<'PostToolBatch', AddsContext>;
export type NotificationHookSpecificOutput = Output<'Notification', AddsContext>;
export type SetupHookSpecificOutput = Output<'Setup', AddsContext>;
export type StopHookSpecificOutput = Output<'Stop', AddsContext>;
export type SubagentStartHookSpecificOutput = Output<'SubagentStart', AddsContext>;
export type SubagentStopHookSpecificOutput = Output<'SubagentStop', AddsContext>;
export type PostModelSwitchHookSpecificOutput = Output<'PostModelSwitch', AddsContext>;

export type UserPromptSubmitHookSpecificOutput = Output<
  'UserPromptSubmit',
  AddsContext & { sessionTitle?: string | undefined; suppressOriginalPrompt?: boolean | undefined }
>;

export type UserPromptExpansionHookSpecificOutput = Output<
  'UserPromptExpansion',
  AddsContext & { suppressOriginalPrompt?: boolean | undefined }
>;

export type SessionStartHookSpecificOutput = Output<
  'SessionStart',
  AddsContext & {
    initialUserMessage?: string | undefined;
    sessionTitle?: string | undefined;
    watchPaths?: string[] | undefined;
    reloadSkills?: boolean | undefined;
  }
>;

export type PreModelSwitchHookSpecificOutput = Output<
  'PreModelSwitch',
  {
    permissionDecision?: 'allow' | 'deny' | 'ask' | undefined;
    permissionDecisionReason?: string | undefined;
  }
>;

export type PermissionRequestHookSpecificOutput = Output<
  'PermissionRequest',
  {
    decision:
      | {
          behavior: 'allow';
          updatedInput?: Record<string, unknown> | undefined;
          updatedPermissions?: PermissionUpdate[] | undefined;
        }
      | { behavior: 'deny'; message?: string | undefined; interrupt?: boolean | undefined };
  }
>;

export type PermissionDeniedHookSpecificOutput = Output<'PermissionDenied', { retry?: boolean | undefined }>;

type ElicitationAnswer = {
  action?: 'accept' | 'decline' | 'cancel' | undefined;
  content?: Record<string, unknown> | undefined;
};

export type ElicitationHookSpecificOutput = Output<'Elicitation', ElicitationAnswer>;
export type ElicitationResultHookSpecificOutput = Output<'ElicitationResult', ElicitationAnswer>;

export type CwdChangedHookSpecificOutput = Output<'CwdChanged', { watchPaths?: string[] | undefined }>;
export type FileChangedHookSpecificOutput = Output<'FileChanged', { watchPaths?: string[] | undefined }>;
export type WorktreeCreateHookSpecificOutput = Output<'WorktreeCreate', { worktreePath: string }>;
export type MessageDisplayHookSpecificOutput = Output<
  'MessageDisplay',
  { displayContent?: string | undefined }
>;

export type HookSpecificOutput =
  | PreToolUseHookSpecificOutput
  | PostToolUseHookSpecificOutput
  | PostToolUseFailureHookSpecificOutput
  | PostToolBatchHookSpecificOutput
  | NotificationHookSpecificOutput
  | UserPromptSubmitHookSpecificOutput
  | UserPromptExpansionHookSpecificOutput
  | SessionStartHookSpecificOutput
  | SetupHookSpecificOutput
  | StopHookSpecificOutput
  | SubagentStartHookSpecificOutput
  | SubagentStopHookSpecificOutput
  | PreModelSwitchHookSpecificOutput
  | PostModelSwitchHookSpecificOutput
  | PermissionRequestHookSpecificOutput
  | PermissionDeniedHookSpecificOutput
  | ElicitationHookSpecificOutput
  | ElicitationResultHookSpecificOutput
  | CwdChangedHookSpecificOutput
  | FileChangedHookSpecificOutput
  | WorktreeCreateHookSpecificOutput
  | MessageDisplayHookSpecificOutput;

export type SyncHookJSONOutput = {
  continue?: boolean | undefined;
  suppressOutput?: boolean | undefined;
  stopReason?: string | undefined;
  decision?: 'approve' | 'block' | undefined;
  systemMessage?: string | undefined;
  terminalSequence?: string | undefined;
  reason?: string | undefined;
  hookSpecificOutput?: HookSpecificOutput | undefined;
};

export type AsyncHookJSONOutput = { async: true; asyncTimeout?: number | undefined };

export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;
