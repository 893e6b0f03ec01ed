import { GuardedReceiver, tellDropped } from '../../protocol/transport/guarded-receiver.js';
import type {
  DroppedFrame,
  Transport,
  TransportEnd,
  TransportReceiver,
} from '../../protocol/transport/transport.js';
import { wrapTransport } from '../../protocol/transport/wrap-transport.js';
import { type Frame, isControlFrame } from '../../protocol/wire/frames.js';
import { isMirrorFrame, type MirrorSettings, SessionMirror } from './session-mirror.js';

/**
 * Diverts the agent's lines that are meant for the store. A result, and the end, waits until the store has
 * everything before it, so that whoever has read the result can continue from the store. A result that the
 * store refuses, because somebody else has continued the conversation, is no success. Control traffic never
 * waits.
 */
export function mirroredTransport(inner: Transport, settings: MirrorSettings): Transport {
  return wrapTransport(inner, {
    start: (receiver) => inner.start(new GuardedReceiver(new MirrorReceiver(receiver, settings))),
  });
}

class MirrorReceiver implements TransportReceiver {
  readonly #receiver: TransportReceiver;
  readonly #mirror: SessionMirror;
  /** What arrived while a result waits for the store. */
  #held: { frame: Frame; byteLength: number }[] = [];
  #holding = false;

  constructor(receiver: TransportReceiver, settings: MirrorSettings) {
    this.#receiver = receiver;
    this.#mirror = new SessionMirror(settings, (message) => receiver.frame(message, 0));
  }

  frame(frame: Frame, byteLength: number): void {
    if (isMirrorFrame(frame)) this.#mirror.take(frame);
    else if (isControlFrame(frame)) this.#receiver.frame(frame, byteLength);
    else if (this.#holding) this.#held.push({ frame, byteLength });
    else if (frame.type === 'result') this.#hold(frame, byteLength);
    else this.#receiver.frame(frame, byteLength);
  }

  noise(line: string): void {
    this.#receiver.noise(line);
  }

  dropped(frame: DroppedFrame): void {
    tellDropped(this.#receiver, frame);
  }

  stderr(text: string): void {
    this.#receiver.stderr(text);
  }

  end(end: TransportEnd): void {
    void this.#mirror.flush().then(() => {
      this.#holding = false;
      for (const { frame, byteLength } of this.#held.splice(0)) this.#deliver(frame, byteLength);
      this.#receiver.end(end);
    });
  }

  #hold(frame: Frame, byteLength: number): void {
    this.#holding = true;
    this.#held.push({ frame, byteLength });
    void this.#mirror.flush().then(() => this.#release());
  }

  #release(): void {
    if (!this.#holding) return;
    this.#holding = false;
    const [first, ...rest] = this.#held.splice(0);
    if (first !== undefined) this.#deliver(first.frame, first.byteLength);
    // Another result among them waits in turn.
    for (const { frame, byteLength } of rest) this.frame(frame, byteLength);
  }

  #deliver(frame: Frame, byteLength: number): void {
    const { conflict } = this.#mirror;
    const isRefused = conflict !== undefined && frame.type === 'result';
    this.#receiver.frame(isRefused ? refused(frame, conflict.message) : frame, byteLength);
  }
}

/** The agent's result as that of a turn that failed. */
function refused({ result: _, ...frame }: Frame & { result?: unknown }, reason: string): Frame {
  return { ...frame, subtype: 'error_during_execution', is_error: true, errors: [reason] } as Frame;
}
