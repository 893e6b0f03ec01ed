// What a transcript says of a prompt that an earlier worker has begun with.

import { isRecord } from '../../protocol/base/kinds.js';
import type { SDKMessage } from '../../protocol/wire/messages/index.js';
import type { SessionStoreEntry } from '../../protocol/wire/session-store.js';
import { messagesFromEntries, visibleNodes } from '../../sessions/entry-messages.js';
import type { SessionMessage } from '../../sessions/session-info.js';
import { isFiller } from '../conversations/cli-transcript.js';

export interface Told {
  /** What was said since the prompt, as readers are told it. */
  readonly messages: readonly SDKMessage[];
  /** The last word is the model's, and it has called no tool: nothing is left to do. */
  readonly isAnswered: boolean;
}

export function saidIn(entries: readonly SessionStoreEntry[]): SessionMessage[] {
  const said = messagesFromEntries(entries, false, (nodes) => visibleNodes(nodes, false), {});
  return said.filter(({ message }) => !isFiller(message));
}

/** Undefined: the transcript does not have the prompt, so nobody has worked on it. */
export function toldOf(prompt: string, entries: readonly SessionStoreEntry[]): Told | undefined {
  const after = saidSince(prompt, entries);
  return after && { messages: after.map(asTold), isAnswered: isAnswered(after) };
}

/** Also if the prompt is no longer among what the model sees: a long turn may have been compacted. */
function saidSince(
  prompt: string,
  entries: readonly SessionStoreEntry[],
): readonly SessionMessage[] | undefined {
  const said = saidIn(entries);
  const start = said.findIndex(({ uuid }) => uuid === prompt);
  if (start !== -1) return said.slice(start + 1);
  const boundary = entries.findLastIndex(({ subtype }) => subtype === 'compact_boundary');
  const before = boundary === -1 ? undefined : saidSince(prompt, entries.slice(0, boundary));
  if (before === undefined) return undefined;
  const known = new Set(before.map(({ uuid }) => uuid));
  return [...before, ...said.filter((each) => !isSummary(each) && !known.has(each.uuid))];
}

function isSummary(message: object): boolean {
  return 'isCompactSummary' in message && message.isCompactSummary === true;
}

function asTold({ type, message, uuid, session_id }: SessionMessage): SDKMessage {
  return { type, message, uuid, session_id, parent_tool_use_id: null } as unknown as SDKMessage;
}

function isAnswered(after: readonly SessionMessage[]): boolean {
  const last = after.at(-1);
  if (last?.type !== 'assistant') return false;
  const answer = idOf(last);
  return !after.some((each) => (each === last || idOf(each) === answer) && callsTool(each));
}

function idOf({ type, message, uuid }: SessionMessage): unknown {
  return type === 'assistant' && isRecord(message) ? message.id : uuid;
}

function callsTool({ message }: SessionMessage): boolean {
  const content = isRecord(message) ? message.content : undefined;
  return Array.isArray(content) && content.some((block) => isRecord(block) && block.type === 'tool_use');
}
