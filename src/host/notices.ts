import type { UserContentBlock } from '../protocol/wire/content.js';
import type { SDKUserMessage } from '../protocol/wire/messages/index.js';
import type { HostApproval, HostMessage, HostNotice, PromptOutcome } from './host-messages.js';
import type { InboxEntry } from './storage/port/inbox.js';

/** The body of a prompt in the inbox. */
export interface PromptBody {
  prompt: string | readonly UserContentBlock[];
}

/** A prompt as the agent reads it and readers are told it. Its id is that of its place in the inbox. */
export function promptMessage({ id, body }: InboxEntry): SDKUserMessage {
  const { prompt } = body as PromptBody;
  return {
    type: 'user',
    message: { role: 'user', content: prompt as SDKUserMessage['message']['content'] },
    parent_tool_use_id: null,
    uuid: id as NonNullable<SDKUserMessage['uuid']>,
    session_id: '',
  };
}

/** An empty prompt: what was begun goes on. */
export function goOn(): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content: '' }, parent_tool_use_id: null, session_id: '' };
}

export function resumed(prompt: string, reason: string): HostNotice {
  return { type: 'host', subtype: 'resumed', prompt, reason };
}

export function done(prompt: string, outcome: PromptOutcome): HostNotice {
  return { type: 'host', subtype: 'done', prompt, outcome };
}

export function asked(prompt: string, approval: HostApproval): HostNotice {
  return { type: 'host', subtype: 'approval', prompt, approval };
}

export function withdrawn(approval: string): HostNotice {
  return { type: 'host', subtype: 'withdrawn', approval };
}

export function parked(reason: string): HostNotice {
  return { type: 'host', subtype: 'parked', reason };
}

/** Of a prompt that was stopped before it began. */
export function neverBegun(prompt: InboxEntry): HostMessage[] {
  return [promptMessage(prompt) as HostMessage, done(prompt.id, 'dropped')];
}
