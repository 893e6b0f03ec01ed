import type { PermissionResult, PermissionUpdate } from '../protocol/permissions/permissions.js';
import type { ElicitationRequest, ElicitationResult } from '../protocol/wire/host-callbacks.js';
import type { SDKMessage } from '../protocol/wire/messages/index.js';
import type { SessionRef } from './storage/port/conversation.js';

/** A question of a conversation to people. It waits for days if need be; nothing is held open for it. */
export type HostApproval = SessionRef & {
  readonly id: string;
  /** Milliseconds since 1970, by the storage's clock. */
  readonly since: number;
} & HostQuestion;

/** What is asked. */
export type HostQuestion =
  | PermissionQuestion
  /** The tool `AskUserQuestion`: `input.questions` has the questions. */
  | (CallOfTool & { readonly kind: 'question' })
  | ElicitationQuestion;

interface CallOfTool {
  readonly toolName: string;
  readonly toolUseId: string;
  readonly input: Record<string, unknown>;
  /** A subagent's call. Its question waits in memory: what a subagent does is part of the call that has started it. */
  readonly agentId?: string;
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
}

/** May this call be made? */
export interface PermissionQuestion extends CallOfTool {
  readonly kind: 'permission';
  readonly decisionReason?: string;
  readonly blockedPath?: string;
  /** What could be allowed for good: pass some of it on as `updatedPermissions` of the answer. */
  readonly suggestions?: PermissionUpdate[];
}

/** An MCP server asks during a call. */
export interface ElicitationQuestion {
  readonly kind: 'elicitation';
  readonly request: ElicitationRequest;
}

/** To a permission or a question: as from `canUseTool`. To a question also its answers by question; to an elicitation its result. */
export type HostAnswer = PermissionResult | { answers: Record<string, string> } | ElicitationResult;

/** How the work on a prompt has ended. A refused or failed turn is `failed`; what the agent said of it is the `result` before. */
export type PromptOutcome = 'answered' | 'failed' | 'interrupted' | 'dropped';

/** What the host itself says to readers of a conversation. */
export type HostNotice =
  /** Somebody is asked. */
  | { type: 'host'; subtype: 'approval'; prompt: string; approval: HostApproval }
  /** The answer that has won. */
  | { type: 'host'; subtype: 'answered'; approval: string; answer: HostAnswer }
  /** The question is no longer asked. */
  | { type: 'host'; subtype: 'withdrawn'; approval: string }
  /**
   * The worker was lost in the middle of its work on this prompt, or had to stop. What was told of the prompt so far is void, from
   * the user message with this id on: what follows tells it anew.
   */
  | { type: 'host'; subtype: 'resumed'; prompt: string; reason: string }
  /** Nothing more comes of this prompt. */
  | { type: 'host'; subtype: 'done'; prompt: string; outcome: PromptOutcome }
  /** Nothing runs until somebody has looked at it: `host.unpark()`. */
  | { type: 'host'; subtype: 'parked'; reason: string }
  /** Only for this reader: so many events after the last one that it has seen are no longer kept. */
  | { type: 'host'; subtype: 'missed'; count: number }
  /** Only for this reader, and its last event: read again with `after`, or `Last-Event-ID`. */
  | { type: 'host'; subtype: 'cut_off'; reason: string };

/**
 * What readers see: what the agent says, and what the host says of it. A prompt is told as a user message whose `uuid` is the
 * `id` of its receipt.
 */
export type HostMessage = SDKMessage | HostNotice;

export interface HostEvent {
  /**
   * 1, 2, 3 … in each conversation. An event that is only for this reader has the id of the one before it, so that the last id
   * always says from where to go on.
   */
  readonly id: number;
  /** When it was stored, in milliseconds since 1970. Who follows live may see some milliseconds more. */
  readonly at: number;
  readonly message: HostMessage;
}
