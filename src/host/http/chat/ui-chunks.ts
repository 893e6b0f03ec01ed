// The UI message stream of the AI SDK (`x-vercel-ai-ui-message-stream: v1`): the parts of it that a host uses. Its first
// releases refuse chunks with fields that they do not know, so there are no others here.

import type { HostAnswer, HostApproval } from '../../host-messages.js';

/** What is told of a message besides its parts. */
export interface ChatMetadata {
  /** The prompt that it answers: the `id` of its receipt. */
  prompt?: string;
  /** The last event that it tells of. */
  event?: number;
  /** How the work on the prompt has ended, once it has. */
  outcome?: 'answered' | 'failed' | 'interrupted' | 'dropped';
}

/** A question to people, for pages that show more of it than "approve" and "deny". Answer it with `POST /approvals/:id`. */
export interface ChatApproval {
  state: 'pending' | 'answered' | 'withdrawn';
  approval: HostApproval;
  answer?: HostAnswer;
}

interface ToolCall {
  toolCallId: string;
  toolName: string;
  /** The page need not know the tool, and need not run it. */
  dynamic: true;
  providerExecuted: true;
}

export type UIChunk =
  | { type: 'start'; messageId: string; messageMetadata: ChatMetadata }
  | { type: 'start-step' | 'finish-step' }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | ({ type: 'tool-input-start' } & ToolCall)
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | ({ type: 'tool-input-available'; input: unknown } & ToolCall)
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'data-approval'; id: string; data: ChatApproval }
  /** The message's parts before this one are void: what follows tells it anew. */
  | { type: 'data-resumed'; id: string; data: { reason: string } }
  /** Nothing runs until somebody has looked at the conversation. */
  | { type: 'data-parked'; id: string; data: Record<string, never> }
  /** The prompt is stored, and comes after what waits for an answer. */
  | { type: 'data-queued'; id: string; data: Record<string, never> }
  | { type: 'message-metadata'; messageMetadata: ChatMetadata }
  | { type: 'abort'; reason: string }
  | { type: 'error'; errorText: string }
  | { type: 'finish'; finishReason: 'stop' | 'tool-calls' | 'error' | 'other' };

/** The id of the message that answers a prompt: the same whoever tells it, so that a page finds it again. */
export function answerId(prompt: string): string {
  return `${prompt}.answer`;
}
