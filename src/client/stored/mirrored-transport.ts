import { type Frame, isControlFrame } from '../../protocol/frames.js';
import type { SessionStore, SessionStoreFlush } from '../../protocol/session-store.js';
import type { Transport, TransportEnd, TransportReceiver } from '../../protocol/transport.js';
import { isMirrorFrame, SessionMirror } from './session-mirror.js';

/**
 * Takes out of the agent's lines those that are for the store. A result, and with it the end, waits until the store
 * has what it stands for: who has read it can go on from the store. Control traffic never waits.
 */
export function mirroredTransport(
  inner: Transport,
  store: SessionStore,
  flush: SessionStoreFlush,
): Transport {
  return {
    get pid() {
      return inner.pid;
    },
    start: (receiver) => inner.start(new MirrorReceiver(receiver, store, flush)),
    send: (frame) => inner.send(frame),
    drained: () => inner.drained(),
    endInput: () => inner.endInput(),
    pause: () => inner.pause(),
    resume: () => inner.resume(),
    stop: (graceMs) => inner.stop(graceMs),
  };
}

class MirrorReceiver implements TransportReceiver {
  readonly #to: TransportReceiver;
  readonly #mirror: SessionMirror;
  /** What has come while a result waits for the store. */
  #held: { frame: Frame; byteLength: number }[] = [];
  #holding = false;

  constructor(to: TransportReceiver, store: SessionStore, flush: SessionStoreFlush) {
    this.#to = to;
    this.#mirror = new SessionMirror(store, flush, (message) => to.frame(message, 0));
  }

  frame(frame: Frame, byteLength: number): void {
    if (isMirrorFrame(frame)) this.#mirror.take(frame);
    else if (isControlFrame(frame)) this.#to.frame(frame, byteLength);
    else if (this.#holding) this.#held.push({ frame, byteLength });
    else if (frame.type === 'result') this.#hold(frame, byteLength);
    else this.#to.frame(frame, byteLength);
  }

  noise(line: string): void {
    this.#to.noise(line);
  }

  stderr(text: string): void {
    this.#to.stderr(text);
  }

  end(end: TransportEnd): void {
    void this.#mirror.flush().then(() => {
      this.#holding = false;
      for (const { frame, byteLength } of this.#held.splice(0)) this.#to.frame(frame, byteLength);
      this.#to.end(end);
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
    if (first !== undefined) this.#to.frame(first.frame, first.byteLength);
    // Another result among them waits in its turn.
    for (const { frame, byteLength } of rest) this.frame(frame, byteLength);
  }
}
