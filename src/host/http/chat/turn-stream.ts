import { untilAborted } from '../../../protocol/base/cancellation.js';
import { clock, unref } from '../../../protocol/base/clock.js';
import { LIMITS } from '../../../protocol/base/limits.js';
import type { Host } from '../../host.js';
import type { HostEvent } from '../../host-messages.js';
import type { SessionRef } from '../../storage/port/conversation.js';
import { failsAtOnce } from '../event-stream.js';
import { promptIn } from './prompts.js';
import { TurnChunks } from './turn-chunks.js';
import type { TurnPosition } from './turn-position.js';
import type { UIChunk } from './ui-chunks.js';

export interface TurnStreamOptions {
  host: Host;
  ref: SessionRef;
  position: TurnPosition;
  /** The prompt itself was told before the position. */
  hasBegun: boolean;
  /** The page has been told everything up to this event. */
  knownUntil?: number | undefined;
  /** Questions that the page has answered. */
  answered?: readonly string[] | undefined;
}

/** The work on one prompt for one page: until it is done, or waits for what only the page can say. */
export async function* turnStream(
  options: TurnStreamOptions,
  signal: AbortSignal,
): AsyncGenerator<UIChunk, void> {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  signal.addEventListener('abort', leave, { once: true });
  const { host, ref, position } = options;
  const events = host.events(ref, { after: position.after, signal: leaving.signal });
  try {
    const stream = new TurnStream(options, events);
    await stream.open();
    yield* stream.chunks();
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
    await events.return();
  }
}

class TurnStream {
  readonly #options: TurnStreamOptions;
  readonly #events: AsyncGenerator<HostEvent, void>;
  #upcoming: Promise<IteratorResult<HostEvent, void>> | undefined;

  constructor(options: TurnStreamOptions, events: AsyncGenerator<HostEvent, void>) {
    this.#options = options;
    this.#events = events;
  }

  /** Rejects if there are too many readers, or the host is closed. */
  open(): Promise<void> {
    this.#upcoming = this.#events.next();
    return failsAtOnce(this.#upcoming);
  }

  async *chunks(): AsyncGenerator<UIChunk, void> {
    const { position, hasBegun } = this.#options;
    const known = position.prompt === undefined ? undefined : new TurnChunks(position.prompt);
    if (known !== undefined) yield* known.start();
    const begun = hasBegun ? known : yield* this.#beginning(known);
    if (begun === undefined) return;
    if (known === undefined) yield* begun.start();
    yield* this.#turn(begun);
  }

  /** Waits until the prompt is told. Returns nothing if it will not be, or not before somebody has answered. */
  async *#beginning(known: TurnChunks | undefined): AsyncGenerator<UIChunk, TurnChunks | undefined> {
    for (;;) {
      const event = await this.#next(known === undefined ? LIMITS.hostPollMs : undefined);
      if (event === 'quiet' && (await this.#isIdle())) return undefined;
      if (event === 'end') return undefined;
      if (event === 'quiet') continue;
      const prompt = promptIn(event);
      if (prompt !== undefined && (known === undefined || prompt.id === known.prompt)) {
        return known ?? new TurnChunks(prompt.id);
      }
      const { id, message } = event;
      if (known === undefined || message.type !== 'host') continue;
      if (message.subtype === 'missed') return yield* lost();
      if (message.subtype === 'approval') return yield* queued(known, id);
      yield* message.subtype === 'done' || message.subtype === 'parked' ? known.take(event) : [];
      if (known.isOver) return undefined;
    }
  }

  async *#turn(turn: TurnChunks): AsyncGenerator<UIChunk, void> {
    const { knownUntil = 0, answered = [], position } = this.#options;
    let isGoingOn = answered.length > 0;
    for (let last = position.after; ; ) {
      const isKnown = last < knownUntil;
      if (isGoingOn && !isKnown) {
        isGoingOn = false;
        yield* turn.goOn();
      }
      if (!isKnown && turn.isAsking) return yield* turn.pause(last);
      const event = await this.#next(!isKnown && turn.isPartlyAsking ? LIMITS.chatQuietMs : undefined);
      if (event === 'quiet') return yield* turn.pause(last);
      if (event === 'end') return yield* lost();
      const { id, message } = event;
      if (message.type === 'host' && message.subtype === 'missed') return yield* lost();
      if (message.type === 'host' && message.subtype === 'cut_off') return yield* lost();
      last = id;
      const chunks = turn.take(event);
      for (const approval of answered) turn.expectAnswer(approval);
      if (id > knownUntil || turn.isOver) yield* chunks;
      if (turn.isOver) return;
    }
  }

  /** The next event; with a time, `quiet` if none comes. */
  async #next(withinMs: number | undefined): Promise<HostEvent | 'quiet' | 'end'> {
    this.#upcoming ??= this.#events.next();
    const result = withinMs === undefined ? await this.#upcoming : await within(this.#upcoming, withinMs);
    if (result === undefined) return 'quiet';
    this.#upcoming = undefined;
    return result.done ? 'end' : result.value;
  }

  async #isIdle(): Promise<boolean> {
    const { host, ref } = this.#options;
    const session = await host.session(ref);
    return session === undefined || session.state === 'idle' || session.state === 'parked';
  }
}

/** Undefined if it takes longer. */
async function within<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value | undefined> {
  const late = new AbortController();
  const timer = unref(clock.setTimeout(() => late.abort(), milliseconds));
  try {
    return await untilAborted(promise, late.signal);
  } catch (error) {
    if (late.signal.aborted && error === late.signal.reason) return undefined;
    throw error;
  } finally {
    clock.clearTimeout(timer);
  }
}

async function* lost(): AsyncGenerator<UIChunk, undefined> {
  yield { type: 'error', errorText: 'The connection to this answer was lost. Load the conversation again.' };
  return undefined;
}

async function* queued(turn: TurnChunks, event: number): AsyncGenerator<UIChunk, undefined> {
  yield { type: 'data-queued', id: `queued-${event}`, data: {} };
  yield* turn.pause(event);
  return undefined;
}
