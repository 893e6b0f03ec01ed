// Calls at the end of a conversation that have no result yet: because a hook has deferred them, or because the program
// was killed. In memory each has a result that says so, as the model's API wants it; the store gets a result only when
// the call has a real one, or when the conversation goes on without it.

import { clock, timestamp } from '../../protocol/base/clock.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type {
  MessageParam,
  ToolResultBlockParam,
  ToolUseBlock,
  UserContentBlock,
} from '../../protocol/wire/content.js';
import type { SessionStoreEntry } from '../../protocol/wire/session-store.js';
import { blocksOf } from './pairs.js';
import type { EntryContext } from './stored-messages.js';

export interface OpenCall {
  readonly block: ToolUseBlock;
  /** A hook has deferred it: it is tried again whoever has a journal. */
  readonly isDeferred: boolean;
}

/** The calls that a hook has deferred, as the CLI notes them too. */
export function deferredIn(entries: readonly SessionStoreEntry[]): Set<string> {
  const ids = new Set<string>();
  for (const { type, attachment } of entries) {
    if (type !== 'attachment' || !isRecord(attachment) || attachment.type !== 'hook_deferred_tool') continue;
    if (typeof attachment.toolUseID === 'string') ids.add(attachment.toolUseID);
  }
  return ids;
}

/** The note, in the CLI's format, that a call was deferred: each of the two tries it again when it resumes the session. */
export function deferredEntry(
  { id, name, input }: ToolUseBlock,
  parent: string | undefined,
  { sessionId, cwd, version }: EntryContext,
): SessionStoreEntry {
  return {
    parentUuid: parent ?? null,
    isSidechain: false,
    attachment: {
      type: 'hook_deferred_tool',
      toolUseID: id,
      toolName: name,
      toolInput: input,
      hookName: `PreToolUse:${name}`,
      hookEvent: 'PreToolUse',
    },
    type: 'attachment',
    uuid: clock.uuid(),
    timestamp: timestamp(),
    userType: 'external',
    entrypoint: 'sdk-ts',
    cwd,
    sessionId,
    version,
  };
}

/** The calls of the last answer that have no result, if nothing was said since. */
export function openCallsIn(said: readonly MessageParam[], deferred: ReadonlySet<string>): OpenCall[] {
  const last = said.at(-1);
  const answer = last?.role === 'assistant' ? last : said.at(-2);
  if (answer?.role !== 'assistant') return [];
  const after = answer === last ? [] : blocksOf(last);
  const answered = new Set(resultsAmong(after).map(({ tool_use_id: id }) => id));
  if (answer !== last && answered.size === 0) return [];
  return (blocksOf(answer) as readonly { type: string }[])
    .filter((block): block is ToolUseBlock => block.type === 'tool_use')
    .filter(({ id }) => !answered.has(id))
    .map((block) => ({ block, isDeferred: deferred.has(block.id) }));
}

/** The results for these calls in a message. */
export function resultsFor(
  calls: readonly { readonly id: string }[],
  message: MessageParam | undefined,
): ToolResultBlockParam[] {
  const ids = new Set(calls.map(({ id }) => id));
  return resultsAmong(blocksOf(message)).filter(({ tool_use_id: id }) => ids.has(id));
}

/** Whether a message has real results for the calls that have none. */
export function answers(message: MessageParam, owed: readonly ToolResultBlockParam[]): boolean {
  const ids = owed.map(({ tool_use_id: id }) => ({ id }));
  return resultsFor(ids, message).length > 0;
}

/** The message as it is stored: without results that say that there is none. */
export function without(message: MessageParam, owed: readonly ToolResultBlockParam[]): MessageParam {
  const none = new Set<unknown>(owed);
  return { role: 'user', content: blocksOf(message).filter((block) => !none.has(block)) };
}

/** The same message with real results in the places of those that say that there is none. */
export function withResults(message: MessageParam, given: readonly UserContentBlock[]): MessageParam {
  const real = new Map(resultsAmong(given).map((block) => [block.tool_use_id, block]));
  const content = blocksOf(message).map((block) =>
    block.type === 'tool_result' ? (real.get(block.tool_use_id) ?? block) : block,
  );
  const more = given.filter((block) => block.type !== 'tool_result');
  return { role: 'user', content: [...content, ...more] };
}

function resultsAmong(blocks: readonly UserContentBlock[]): ToolResultBlockParam[] {
  return blocks.filter((block) => block.type === 'tool_result');
}
