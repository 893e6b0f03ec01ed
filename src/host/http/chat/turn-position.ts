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
  let candidate: TurnPosition | undefined;
  let until = last;
  for (let size: number = LIMITS.hostPage; until > 0; size *= 2) {
    const after = Math.max(0, until - size);
    const { first, turn } = await turnsIn(eventsUntil(host, ref, { after, until, signal }));
    if (turn === 'none') return candidate;
    if (turn !== undefined) return turn;
    candidate = first ?? candidate;
    until = after;
  }
  return candidate;
}

interface Turns {
  /** What may be a prompt: only what comes before says whether another one was worked on. */
  readonly first: TurnPosition | undefined;
  /** The one that is worked on at the end. Undefined: these events do not say. */
  readonly turn: TurnPosition | 'none' | undefined;
}

async function turnsIn(events: AsyncGenerator<HostEvent, void>): Promise<Turns> {
  let first: TurnPosition | undefined;
  let turn: Turns['turn'];
  for await (const event of events) {
    const { id, message } = event;
    const prompt = promptIn(event);
    const position = prompt === undefined ? undefined : { prompt: prompt.id, after: id };
    if (turn === undefined) first ??= position;
    // During a turn the agent may say something in the user's name.
    else if (turn === 'none') turn = position ?? turn;
    if (message.type !== 'host') continue;
    if (message.subtype === 'done') turn = 'none';
    // What was told before is void.
    if (message.subtype === 'resumed') turn = { prompt: message.prompt, after: id };
  }
  return { first, turn };
}
