import { TenonError } from '../base/errors.js';
import type { Frame } from '../wire/frames.js';
import type { Transport, TransportReceiver } from './transport.js';

/**
 * Two transports joined in memory: objects are passed without serialising them. Each end receives in its own
 * microtask, so neither ever runs inside the other's call.
 */
export function memoryTransportPair(): [Transport, Transport] {
  const left = new MemoryTransport();
  const right = new MemoryTransport();
  left.join(right);
  right.join(left);
  return [left, right];
}

class MemoryTransport implements Transport {
  readonly pid = undefined;
  #peer: MemoryTransport | undefined;
  #receiver: TransportReceiver | undefined;
  #inbox: Frame[] = [];
  #inputEnded = false;
  #peerEnded = false;
  #ended = false;
  #paused = false;
  #scheduled = false;
  /** Waiting for the other end to read again. */
  #draining: { promise: Promise<void>; resolve: () => void } | undefined;

  join(peer: MemoryTransport): void {
    this.#peer = peer;
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    this.#schedule();
  }

  send(frame: Frame): boolean {
    // The other end may have ended its own input and still listen, as a program does after the end of its
    // input.
    if (this.#inputEnded) {
      throw new TenonError('INPUT_CLOSED', 'Cannot send: the input of this conversation has ended.');
    }
    this.#peer?.receive(frame);
    return this.#peer?.isPaused !== true;
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  drained(): Promise<void> {
    if (this.#peer?.isPaused !== true) return Promise.resolve();
    if (this.#draining === undefined) {
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      this.#draining = { promise, resolve };
    }
    return this.#draining.promise;
  }

  endInput(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    this.#peer?.receiveEnd();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
    this.#peer?.receiveRoom();
  }

  async stop(): Promise<void> {
    this.endInput();
    this.#peer?.receiveStop();
    this.#peerEnded = true;
    this.#inbox = [];
    this.#paused = false;
    this.#peer?.receiveRoom();
    this.#flush();
  }

  receive(frame: Frame): void {
    if (this.#ended) return;
    this.#inbox.push(frame);
    this.#schedule();
  }

  /** The other end reads again. */
  receiveRoom(): void {
    this.#draining?.resolve();
    this.#draining = undefined;
  }

  /** The other end no longer listens. */
  receiveStop(): void {
    this.#inputEnded = true;
  }

  receiveEnd(): void {
    this.#peerEnded = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const receiver = this.#receiver;
    if (receiver === undefined || this.#ended) return;
    // Not "until undefined": whoever sends that has sent something, too.
    while (!this.#paused && this.#inbox.length > 0) receiver.frame(this.#inbox.shift() as Frame, 0);
    if (this.#peerEnded && this.#inbox.length === 0 && !this.#ended) {
      this.#ended = true;
      receiver.end({ code: null, signal: null });
    }
  }
}
