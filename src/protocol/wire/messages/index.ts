// The messages of a query, by name. `SDKMessage` is what iterating over a query yields.

import type {
  SDKAuthStatusMessage,
  SDKBackgroundTasksChangedMessage,
  SDKConversationResetMessage,
  SDKHookProgressMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKPromptSuggestionMessage,
  SDKRateLimitEvent,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
} from './activity.js';
import type { SDKAssistantMessage, SDKPartialAssistantMessage } from './assistant.js';
import type { SDKResultMessage } from './result.js';
import type {
  SDKAPIRetryMessage,
  SDKCommandsChangedMessage,
  SDKCompactBoundaryMessage,
  SDKControlRequestProgressMessage,
  SDKElicitationCompleteMessage,
  SDKFilesPersistedEvent,
  SDKInformationalMessage,
  SDKLocalCommandOutputMessage,
  SDKMemoryRecallMessage,
  SDKMirrorErrorMessage,
  SDKModelRefusalFallbackMessage,
  SDKModelRefusalNoFallbackMessage,
  SDKNotificationMessage,
  SDKPermissionDeniedMessage,
  SDKPluginInstallMessage,
  SDKSessionStateChangedMessage,
  SDKSessionWritesLostMessage,
  SDKStatusMessage,
  SDKSystemMessage,
  SDKThinkingTokensMessage,
  SDKWorkerShuttingDownMessage,
} from './system.js';
import type { SDKUserMessage, SDKUserMessageReplay } from './user.js';

export type {
  SDKActiveGoalMessage,
  SDKAuthStatusMessage,
  SDKBackgroundTasksChangedMessage,
  SDKConversationResetMessage,
  SDKHookProgressMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKMcpResourceLink,
  SDKPromptSuggestionMessage,
  SDKRateLimitEvent,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
} from './activity.js';
export type {
  SDKAssistantMessage,
  SDKAssistantMessageError,
  SDKPartialAssistantMessage,
} from './assistant.js';
export type {
  ResultFailure,
  ResultFailureKind,
  SDKDeferredToolUse,
  SDKPermissionDenial,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
  SDKStartupFailureReason,
  TerminalReason,
} from './result.js';
export type {
  ApiKeySource,
  SDKAPIRetryMessage,
  SDKCommandsChangedMessage,
  SDKCompactBoundaryMessage,
  SDKControlRequestProgressMessage,
  SDKElicitationCompleteMessage,
  SDKFilesPersistedEvent,
  SDKInformationalMessage,
  SDKLocalCommandOutputMessage,
  SDKMemoryRecallMessage,
  SDKMirrorErrorMessage,
  SDKModelRefusalFallbackMessage,
  SDKModelRefusalNoFallbackMessage,
  SDKNotificationMessage,
  SDKPermissionDeniedMessage,
  SDKPluginInstallMessage,
  SDKSessionStateChangedMessage,
  SDKSessionWritesLostMessage,
  SDKStatus,
  SDKStatusMessage,
  SDKSystemMessage,
  SDKThinkingTokensMessage,
  SDKWorkerShuttingDownMessage,
} from './system.js';
export type {
  FastModeDisabledReason,
  FastModeState,
  ModelUsage,
  NonNullableUsage,
  SDKContextUsage,
  SDKContextUsageCategory,
  SDKRateLimitInfo,
  SDKUsageReport,
} from './usage.js';
export type { SDKMessageOrigin, SDKUserMessage, SDKUserMessageReplay } from './user.js';

export type SDKMessage =
  | SDKAssistantMessage
  | SDKPartialAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKResultMessage
  | SDKSystemMessage
  | SDKCompactBoundaryMessage
  | SDKStatusMessage
  | SDKAPIRetryMessage
  | SDKControlRequestProgressMessage
  | SDKModelRefusalFallbackMessage
  | SDKModelRefusalNoFallbackMessage
  | SDKLocalCommandOutputMessage
  | SDKPluginInstallMessage
  | SDKThinkingTokensMessage
  | SDKSessionStateChangedMessage
  | SDKWorkerShuttingDownMessage
  | SDKCommandsChangedMessage
  | SDKNotificationMessage
  | SDKFilesPersistedEvent
  | SDKMemoryRecallMessage
  | SDKElicitationCompleteMessage
  | SDKPermissionDeniedMessage
  | SDKMirrorErrorMessage
  | SDKInformationalMessage
  | SDKSessionWritesLostMessage
  | SDKHookStartedMessage
  | SDKHookProgressMessage
  | SDKHookResponseMessage
  | SDKToolProgressMessage
  | SDKAuthStatusMessage
  | SDKTaskNotificationMessage
  | SDKTaskStartedMessage
  | SDKTaskUpdatedMessage
  | SDKTaskProgressMessage
  | SDKBackgroundTasksChangedMessage
  | SDKToolUseSummaryMessage
  | SDKRateLimitEvent
  | SDKPromptSuggestionMessage
  | SDKConversationResetMessage;

/**
 * A line of a type that this version does not know. Such lines are delivered too, but the type is not part of
 * `SDKMessage`: with an open member in the union, comparing `type` would not narrow.
 */
export type SDKUnknownMessage = { type: string; [key: string]: unknown };
