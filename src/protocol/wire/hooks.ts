// Hooks as users write them. Their inputs and outputs are in hook-inputs.ts and hook-outputs.ts.

import type { HookInput } from './hook-inputs.js';
import type { HookJSONOutput } from './hook-outputs.js';

export type {
  BackgroundTaskSummary,
  BaseHookInput,
  ConfigChangeHookInput,
  CwdChangedHookInput,
  DirectoryAddedHookInput,
  ElicitationHookInput,
  ElicitationResultHookInput,
  ExitReason,
  FileChangedHookInput,
  HookEvent,
  HookInput,
  InstructionsLoadedHookInput,
  MessageDisplayHookInput,
  NotificationHookInput,
  PermissionDeniedHookInput,
  PermissionRequestHookInput,
  PostCompactHookInput,
  PostModelSwitchHookInput,
  PostToolBatchHookInput,
  PostToolBatchToolCall,
  PostToolUseFailureHookInput,
  PostToolUseHookInput,
  PreCompactHookInput,
  PreModelSwitchHookInput,
  PreToolUseHookInput,
  SessionCronSummary,
  SessionEndHookInput,
  SessionStartHookInput,
  SetupHookInput,
  StopFailureHookInput,
  StopHookInput,
  SubagentStartHookInput,
  SubagentStopHookInput,
  TaskCompletedHookInput,
  TaskCreatedHookInput,
  TeammateIdleHookInput,
  UserPromptExpansionHookInput,
  UserPromptSubmitHookInput,
  WorktreeCreateHookInput,
  WorktreeRemoveHookInput,
} from './hook-inputs.js';
export { EXIT_REASONS, HOOK_EVENTS } from './hook-inputs.js';
export type {
  AsyncHookJSONOutput,
  CwdChangedHookSpecificOutput,
  ElicitationHookSpecificOutput,
  ElicitationResultHookSpecificOutput,
  FileChangedHookSpecificOutput,
  HookJSONOutput,
  HookPermissionDecision,
  HookSpecificOutput,
  MessageDisplayHookSpecificOutput,
  NotificationHookSpecificOutput,
  PermissionDeniedHookSpecificOutput,
  PermissionRequestHookSpecificOutput,
  PostModelSwitchHookSpecificOutput,
  PostToolBatchHookSpecificOutput,
  PostToolUseFailureHookSpecificOutput,
  PostToolUseHookSpecificOutput,
  PreModelSwitchHookSpecificOutput,
  PreToolUseHookSpecificOutput,
  SessionStartHookSpecificOutput,
  SetupHookSpecificOutput,
  StopHookSpecificOutput,
  SubagentStartHookSpecificOutput,
  SubagentStopHookSpecificOutput,
  SyncHookJSONOutput,
  UserPromptExpansionHookSpecificOutput,
  UserPromptSubmitHookSpecificOutput,
  WorktreeCreateHookSpecificOutput,
} from './hook-outputs.js';

/** A promise, for those who call or wrap one; at run time a plain answer, or none, will do too. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput>;

export interface HookCallbackMatcher {
  matcher?: string | undefined;
  hooks: HookCallback[];
  /** In seconds, like the agent's own hook timeouts. */
  timeout?: number | undefined;
  /**
   * What a callback that throws, or gives an answer that nobody understands, does. Default: before a tool
   * (`PreToolUse`) it denies the call, and elsewhere the failure is reported and the agent continues. `block`:
   * a prompt is stopped too. `continue`: not even a tool is stopped.
   */
  onFailure?: 'continue' | 'block' | undefined;
}
