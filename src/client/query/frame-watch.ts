import type { Channel } from 'node:diagnostics_channel';
import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { SecretValues } from '../../protocol/base/secret-values.js';
import { frameCopy } from '../../protocol/transport/frame-copy.js';
import type {
  FrameLine,
  ModelCalls,
  RunEvent,
  RunFacts,
  RunHappening,
  RunRecorder,
} from '../../protocol/transport/run-events.js';
import type {
  AgentEnd,
  FrameEvent,
  FrameInfo,
  FrameObserver,
  OnFrame,
  RestObserver,
} from '../../protocol/transport/tapped-transport.js';
import type { Frame } from '../../protocol/wire/frames.js';
import type { Debug } from './observers.js';

/** Where conversations are published, if this platform has such a place. */
export interface Channels {
  readonly frames: Channel | undefined;
  readonly conversations: Channel | undefined;
}

export interface Watchers extends Channels {
  readonly onFrame: OnFrame | undefined;
  readonly recorders: readonly RunRecorder[];
  /** Of an agent that asks its model elsewhere, and writes down what it asks. */
  readonly calls: ModelCalls | undefined;
}

/** What a watch must know of its conversation. */
export interface Watched {
  readonly facts: RunFacts;
  /** Those of MCP servers: hidden from everybody. */
  readonly secrets: SecretValues;
  /** Those, and variables with telling names: hidden in recordings. */
  readonly hidden: Pick<SecretValues, 'hide' | 'mayBeIn'>;
  readonly debug: Debug;
}

interface Seen extends FrameLine {
  /** For listeners; undefined if there are none. */
  readonly frame: Frame | undefined;
  /** Counted when it is told of. */
  sequence: number;
}

/** Reports one conversation to those who watch it. */
export class FrameWatch implements FrameObserver<Seen> {
  readonly rest: RestObserver | undefined;
  readonly takesLines: boolean;
  readonly #watchers: Watchers;
  readonly #watched: Watched;
  readonly #copies: boolean;
  readonly #conversation = clock.uuid();
  readonly #began = clock.now() - clock.monotonic();
  #count = 0;

  constructor(watchers: Watchers, watched: Watched) {
    this.#watchers = watchers;
    this.#watched = watched;
    this.takesLines = watchers.recorders.length > 0;
    this.#copies = watchers.onFrame !== undefined || watchers.frames?.hasSubscribers === true;
    if (!this.takesLines && watchers.conversations?.hasSubscribers !== true) return;
    this.rest = {
      happened: (happening) => this.happened(happening),
      ended: (end) => this.#ended(end),
    };
    this.happened({ kind: 'start', facts: watched.facts, secrets: watched.hidden });
    watchers.calls?.start((call) => this.happened(call));
  }

  record(frame: Frame, direction: FrameInfo['direction'], text: string | undefined): Seen {
    const at = this.#now();
    const copy = this.#copies ? this.#copy(frame, direction) : undefined;
    const line = this.takesLines ? this.#line(frame, direction, text, copy) : '';
    return { kind: 'frame', direction, at, sequence: 0, line, type: frame.type, frame: copy };
  }

  tell(seen: Seen): void {
    this.#count += 1;
    seen.sequence = this.#count;
    if (seen.frame !== undefined) this.#tellListeners(seen, seen.frame);
    for (const recorder of this.#watchers.recorders) recorder.take(seen);
  }

  #tellListeners({ direction, at, sequence }: Seen, frame: Frame): void {
    const event: FrameEvent = Object.freeze({
      frame,
      direction,
      at,
      sequence,
      conversation: this.#conversation,
    });
    if (this.#watchers.onFrame !== undefined) this.#call(this.#watchers.onFrame, event);
    // If a subscriber throws, Node reports it as an uncaught exception.
    if (this.#watchers.frames?.hasSubscribers) this.#watchers.frames.publish(event);
  }

  happened(happening: RunHappening): void {
    const event: RunEvent = { ...happening, at: this.#now(), conversation: this.#conversation };
    for (const recorder of this.#watchers.recorders) recorder.take(event);
    const { conversations } = this.#watchers;
    if (!conversations?.hasSubscribers) return;
    conversations.publish(Object.freeze(hiddenIn(event, this.#watched.secrets)));
  }

  async #ended(end: AgentEnd): Promise<void> {
    if (this.#watchers.calls !== undefined) await this.#watchers.calls.finish();
    this.happened(end);
    await Promise.all(this.#watchers.recorders.map((recorder) => recorder.close()));
  }

  #now(): number {
    return this.#began + clock.monotonic();
  }

  /** Frames that may hold configuration are copied without it; of others there is mostly a text already. */
  #line(
    frame: Frame,
    direction: FrameInfo['direction'],
    text: string | undefined,
    copy: Frame | undefined,
  ): string {
    if (!hasConfiguration(frame, direction)) {
      if (text !== undefined) return text;
      try {
        return JSON.stringify(frame);
      } catch {
        // A number that JSON has no form for, or a cycle: the copy has neither.
      }
    }
    return JSON.stringify(copy ?? this.#copy(frame, direction));
  }

  #copy(frame: Frame, direction: FrameInfo['direction']): Frame {
    const { secrets, debug } = this.#watched;
    try {
      return frameCopy(frame, { secrets, hidesMaps: hasConfiguration(frame, direction) });
    } catch (error) {
      debug('frame', `a frame could not be copied for its observers: ${messageOf(error)}`);
      return Object.freeze({ type: typeof frame.type === 'string' ? frame.type : 'unknown' });
    }
  }

  #call(onFrame: OnFrame, event: FrameEvent): void {
    try {
      const returned: unknown = onFrame(event.frame, event);
      if (returned instanceof Promise) returned.catch((error) => this.#report(error));
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.#watched.debug('frame', `onFrame threw: ${messageOf(error)}`);
  }
}

/**
 * The host's requests and the agent's answers to them contain settings and servers. The agent's requests
 * and the host's answers are tool calls, whose `headers` may be anything.
 */
function hasConfiguration({ type }: Frame, direction: FrameInfo['direction']): boolean {
  return type === (direction === 'sent' ? 'control_request' : 'control_response');
}

/** As in frames: without the secrets of MCP servers. */
function hiddenIn(event: RunEvent, secrets: SecretValues): RunEvent {
  const json = (text: string): string =>
    secrets.mayBeIn(text) ? JSON.stringify(secrets.hideIn(JSON.parse(text))) : text;
  if (event.kind === 'request') return { ...event, body: json(event.body) };
  if (event.kind === 'answer') return { ...event, events: json(event.events) };
  if (event.kind === 'exchange') {
    const { request, response } = event;
    const answer = response === undefined ? {} : { response: json(response) };
    return { ...event, request: json(request), ...answer };
  }
  return event.kind === 'start' ? event : secrets.hideIn(event);
}
