// What readers were told of a prompt by the runs before, which have put it away in order.

import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { HostMessage } from '../host-messages.js';
import type { SessionRef } from '../storage/port/conversation.js';
import type { HostStorage } from '../storage/port/storage.js';

export interface ToldBefore {
  /** The last word of it was that the work begins anew: all of it is told again. */
  readonly isVoid: boolean;
  /** The calls whose results were told. A turn that was put away shows those that it has again. */
  readonly results: ReadonlySet<string>;
}

export async function toldBefore(
  { events }: Pick<HostStorage, 'events'>,
  ref: SessionRef,
  prompt: string,
): Promise<ToldBefore> {
  const results = new Set<string>();
  const { last } = await events.read(ref, { limit: 1 });
  let isVoid = true;
  for (let end = last; end > 0; end -= LIMITS.hostPage) {
    const after = Math.max(0, end - LIMITS.hostPage);
    const page = await events.read(ref, { after, limit: end - after });
    for (const { message } of page.events.toReversed()) {
      const told = message as HostMessage;
      const isResumed = told.type === 'host' && told.subtype === 'resumed' && told.prompt === prompt;
      if (isResumed) return { isVoid, results };
      // What the host has said since, such as that it is parked, is nothing of the turn.
      if (told.type !== 'host') isVoid = false;
      if (told.type === 'user' && told.uuid === prompt) return { isVoid, results };
      for (const result of resultsIn(told)) results.add(result);
    }
  }
  return { isVoid: false, results };
}

/** The calls that a message has results of. */
export function resultsIn(message: HostMessage): string[] {
  if (message.type !== 'user' || message.parent_tool_use_id !== null) return [];
  const { content } = message.message;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    isRecord(block) && block.type === 'tool_result' && typeof block.tool_use_id === 'string'
      ? [block.tool_use_id]
      : [],
  );
}
