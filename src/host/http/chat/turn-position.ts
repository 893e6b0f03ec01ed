import { LIMITS } from '../../../protocol/base/limits.js';
import type { Host } from '../../host.js';
import type { HostEvent } from '../../host-messages.js';
import type { SessionRef } from '../../storage/port/conversation.js';
import { promptIn } from './prompts.js';

/** Where to read the events of the work on a prompt. */
export interface TurnPosition {
  /** Undefined: of the next one that is told. */
  readonly prompt: string | undefined;
  /** The last event before them. */
  readonly after: number;
}

/** The events after one, up to another. */
export async function* eventsUntil(
  host: Host,
  ref: SessionRef,
  { after, until, signal }: { after: number; until: number; signal?: AbortSignal | undefined },
): AsyncGenerator<HostEvent, void> {
  if (after >= until) return;
  for await (const event of host.events(ref, { after, signal })) {
    if (event.id <= until) yield event;
    if (event.id >= until) return;
  }
}

/**
 * The prompt that is worked on, as far as `last`, the last event. Looks back no further than it has to: a conversation may
 * be long.
 */
export async function findTurn(
  host: Host,
  ref: SessionRef,
  last: number,
  signal: AbortSignal,
): Promise<TurnPosition | undefined> {
  let until = last;
  for (let size: number = LIMITS.hostPage; until > 0; size *= 2) {
    const after = Math.max(0, until - size);
    const found = await lastTurnIn(eventsUntil(host, ref, { after, until, signal }));
    if (found !== undefined) return found === 'none' ? undefined : found;
    until = after;
  }
  return undefined;
}

/** Undefined: these events do not say. */
async function lastTurnIn(
  events: AsyncGenerator<HostEvent, void>,
): Promise<TurnPosition | 'none' | undefined> {
  let found: TurnPosition | 'none' | undefined;
  for await (const event of events) {
    const { id, message } = event;
    const prompt = promptIn(event);
    if (prompt !== undefined) found = { prompt: prompt.id, after: id };
    if (message.type !== 'host') continue;
    if (message.subtype === 'done') found = 'none';
    // What was told before is void.
    if (message.subtype === 'resumed') found = { prompt: message.prompt, after: id };
  }
  return found;
}
