// What `useChat` sends, read as what a stranger has sent. Of the messages only the last counts: what was said before, the
// host knows itself.

import { isRecord } from '../../../protocol/base/kinds.js';
import { LIMITS } from '../../../protocol/base/limits.js';
import type { UserContentBlock } from '../../../protocol/wire/content.js';
import type { HostAnswer } from '../../host-messages.js';
import { givenName } from '../exchange.js';
import { Problem } from '../problems.js';
import { givenFile } from './given-file.js';

export type ChatRequest = { readonly session: string } & (
  | { readonly kind: 'prompt'; readonly prompt: UserContentBlock[]; readonly key: string }
  | {
      readonly kind: 'answers';
      readonly answers: ReadonlyMap<string, HostAnswer>;
      /** What the message says of itself: the last event that the page was told of. */
      readonly knownUntil: number | undefined;
    }
);

type Fields = Record<string, unknown>;

export function chatRequest(body: Fields): ChatRequest {
  const session = givenName('chat id', body.id);
  if (body.trigger === 'regenerate-message') {
    throw new Problem(
      422,
      'An answer cannot be made again: the agent remembers it, and may have acted on it. Send a new message instead.',
    );
  }
  const message = messageIn(body);
  if (message.role === 'assistant') return { session, ...answersIn(message) };
  if (message.role !== 'user') throw new Problem(400, 'The last message must be one of the user.');
  if (body.messageId != null) {
    throw new Problem(
      422,
      'What was said cannot be changed: the agent remembers it. Send a new message instead.',
    );
  }
  return { session, kind: 'prompt', key: givenName('message id', message.id), prompt: promptOf(message) };
}

/** The message that is answered or sent: pages that keep only the newest send it as `message`. */
function messageIn({ messages, message, messageId }: Fields): Fields {
  const all: unknown[] = Array.isArray(messages) ? messages : [message];
  // Questions may be those of an earlier message.
  const named = all.find((each) => isRecord(each) && each.role === 'assistant' && each.id === messageId);
  const chosen = named ?? all.at(-1);
  if (isRecord(chosen)) return chosen;
  throw new Problem(400, 'The body must have `messages`, with at least one in it.');
}

function partsOf({ parts }: Fields): Fields[] {
  return Array.isArray(parts) ? parts.filter(isRecord) : [];
}

function promptOf(message: Fields): UserContentBlock[] {
  const blocks = partsOf(message).flatMap((part): UserContentBlock[] => {
    if (part.type === 'text' && typeof part.text === 'string' && part.text !== '') {
      return [{ type: 'text', text: part.text }];
    }
    return part.type === 'file' ? [givenFile(part)] : [];
  });
  if (blocks.length > 0) return blocks;
  throw new Problem(400, 'The message has neither text nor files.');
}

function answersIn(message: Fields): Omit<Extract<ChatRequest, { kind: 'answers' }>, 'session'> {
  const answers = new Map<string, HostAnswer>();
  for (const { state, approval } of partsOf(message)) {
    if (state !== 'approval-responded' || !isRecord(approval)) continue;
    const { approved, reason } = approval;
    answers.set(givenName('approval id', approval.id), decision(approved === true, reason));
  }
  if (answers.size === 0) throw new Problem(400, 'The last message is the agent’s, and has no answer to it.');
  if (answers.size > LIMITS.maxChatAnswers) throw new Problem(400, 'These are too many answers at once.');
  const { metadata } = message;
  const event = isRecord(metadata) ? metadata.event : undefined;
  const isPosition = typeof event === 'number' && Number.isSafeInteger(event) && event >= 0;
  return { kind: 'answers', answers, knownUntil: isPosition ? event : undefined };
}

/** Only a clear yes is one. */
function decision(isApproved: boolean, reason: unknown): HostAnswer {
  if (isApproved) return { behavior: 'allow' };
  const hasReason = typeof reason === 'string' && reason !== '';
  return { behavior: 'deny', message: hasReason ? reason : 'The user does not want this.' };
}
