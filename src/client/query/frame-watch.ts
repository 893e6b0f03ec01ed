import type { Channel } from 'node:diagnostics_channel';
import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { SecretValues } from '../../protocol/base/secret-values.js';
import { frameCopy } from '../../protocol/transport/frame-copy.js';
import type {
  FrameLine,
  RunEvent,
  RunFacts,
  RunHappening,
  RunRecorder,
} from '../../protocol/transport/run-events.js';
import type {
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

interface Seen {
  readonly direction: FrameInfo['direction'];
  readonly at: number;
  /** For listeners; undefined if there are none. */
  readonly frame: Frame | undefined;
  /** For recorders; undefined if there are none. */
  readonly line: string | undefined;
}

/** Reports one conversation to those who watch it. */
export class FrameWatch implements FrameObserver<Seen> {
  readonly rest: RestObserver | undefined;
  readonly #watchers: Watchers;
  readonly #watched: Watched;
  readonly #copies: boolean;
  readonly #conversation = clock.uuid();
  readonly #began = clock.now() - clock.monotonic();
  #count = 0;

  constructor(watchers: Watchers, watched: Watched) {
    this.#watchers = watchers;
    this.#watched = watched;
    this.#copies = watchers.onFrame !== undefined || watchers.frames?.hasSubscribers === true;
    if (watchers.recorders.length === 0 && watchers.conversations?.hasSubscribers !== true) return;
    this.rest = {
      happened: (happening) => this.happened(happening),
      ended: async () => void (await Promise.all(watchers.recorders.map((each) => each.close()))),
    };
    this.happened({ kind: 'start', facts: watched.facts, secrets: watched.hidden });
  }

  record(frame: Frame, direction: FrameInfo['direction']): Seen {
    const at = this.#now();
    const copy = this.#copies ? this.#copy(frame, direction) : undefined;
    const line = this.#watchers.recorders.length === 0 ? undefined : this.#line(frame, direction, copy);
    return { direction, at, frame: copy, line };
  }

  tell({ direction, at, frame, line }: Seen): void {
    this.#count += 1;
    const sequence = this.#count;
    if (frame !== undefined) {
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
    if (line !== undefined) {
      const event: FrameLine = { kind: 'frame', direction, at, sequence, line };
      for (const recorder of this.#watchers.recorders) recorder.take(event);
    }
  }

  happened(happening: RunHappening): void {
    const event: RunEvent = { ...happening, at: this.#now(), conversation: this.#conversation };
    for (const recorder of this.#watchers.recorders) recorder.take(event);
    const { conversations } = this.#watchers;
    if (!conversations?.hasSubscribers) return;
    conversations.publish(Object.freeze(hiddenIn(event, this.#watched.secrets)));
  }

  #now(): number {
    return this.#began + clock.monotonic();
  }

  /** Frames that may hold configuration are copied without it; for others their text is the cheaper copy. */
  #line(frame: Frame, direction: FrameInfo['direction'], copy: Frame | undefined): string {
    const shown = copy ?? (hasConfiguration(frame, direction) ? this.#copy(frame, direction) : frame);
    try {
      return JSON.stringify(shown);
    } catch {
      // A number that JSON has no form for, or a cycle: the copy has neither.
      return JSON.stringify(this.#copy(frame, direction));
    }
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
  return event.kind === 'start' ? event : secrets.hideIn(event);
}
