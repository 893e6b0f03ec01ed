import type { DebugEvent } from '../../options/options.js';
import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import { hostModule } from '../../protocol/base/host-process.js';
import type { SecretValues } from '../../protocol/base/secret-values.js';
import { frameCopy } from '../../protocol/transport/frame-copy.js';
import {
  type FrameEvent,
  type FrameInfo,
  type FrameObserver,
  type OnFrame,
  tappedTransport,
} from '../../protocol/transport/tapped-transport.js';
import type { Transport } from '../../protocol/transport/transport.js';
import type { Frame } from '../../protocol/wire/frames.js';

export type Debug = (kind: string, message: string, data?: unknown) => void;

const log = hostModule('node:util')?.debuglog('tenon') ?? (() => {});

/** Silent unless enabled: by `NODE_DEBUG=tenon` for people, by `onDebug` for programs. */
export function debugTo(onDebug: ((event: DebugEvent) => void) | undefined, secrets: SecretValues): Debug {
  return (kind, text, value) => {
    const message = secrets.hide(text);
    const data = secrets.hideIn(value);
    log('%s: %s', kind, message);
    if (onDebug == null) return;
    try {
      onDebug(data === undefined ? { kind, message } : { kind, message, data });
    } catch (error) {
      log('onDebug threw: %o', error);
    }
  };
}

const frames = hostModule('node:diagnostics_channel')?.channel('tenon:frame');

/** Wraps the transport closest to the agent, so that nothing is removed before it is seen. */
export type Tap = (transport: Transport) => Transport;

/** Whether anyone is watching is decided once, at the start: if not, the transport is returned unchanged. */
export function frameTap(onFrame: OnFrame | null | undefined, secrets: SecretValues, debug: Debug): Tap {
  if (onFrame == null && !frames?.hasSubscribers) return (transport) => transport;
  return (transport) => tappedTransport(transport, new FrameWatch(onFrame ?? undefined, secrets, debug));
}

/** Reports the frames of one conversation to its observers. */
class FrameWatch implements FrameObserver<FrameEvent> {
  readonly #onFrame: OnFrame | undefined;
  readonly #secrets: SecretValues;
  readonly #debug: Debug;
  readonly #conversation = clock.uuid();
  readonly #began = clock.now() - clock.monotonic();
  #count = 0;

  constructor(onFrame: OnFrame | undefined, secrets: SecretValues, debug: Debug) {
    this.#onFrame = onFrame;
    this.#secrets = secrets;
    this.#debug = debug;
  }

  record(frame: Frame, direction: FrameInfo['direction']): FrameEvent {
    return {
      frame: this.#copy(frame, direction),
      direction,
      at: this.#began + clock.monotonic(),
      sequence: 0,
      conversation: this.#conversation,
    };
  }

  tell(seen: FrameEvent): void {
    this.#count += 1;
    const event: FrameEvent = Object.freeze({ ...seen, sequence: this.#count });
    if (this.#onFrame !== undefined) this.#call(this.#onFrame, event);
    // If a subscriber throws, Node reports it as an uncaught exception.
    if (frames?.hasSubscribers) frames.publish(event);
  }

  #copy(frame: Frame, direction: FrameInfo['direction']): Frame {
    try {
      return frameCopy(frame, { secrets: this.#secrets, hidesMaps: hasConfiguration(frame, direction) });
    } catch (error) {
      this.#debug('frame', `a frame could not be copied for its observers: ${messageOf(error)}`);
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
    this.#debug('frame', `onFrame threw: ${messageOf(error)}`);
  }
}

/**
 * The host's requests and the agent's answers to them contain settings and servers. The agent's requests
 * and the host's answers are tool calls, whose `headers` may be anything.
 */
function hasConfiguration({ type }: Frame, direction: FrameInfo['direction']): boolean {
  return type === (direction === 'sent' ? 'control_request' : 'control_response');
}
