import { tellDropped } from './guarded-receiver.js';
import type { Transport, TransportReceiver } from './transport.js';

/** The members that a wrapper replaces. Own properties only: methods of a class would not be copied. */
export type TransportOverrides = Partial<Omit<Transport, 'pid'>>;

/** A transport that behaves like `inner`, except for the given members. */
export function wrapTransport(inner: Transport, overrides: TransportOverrides): Transport {
  return {
    get pid() {
      return inner.pid;
    },
    start: (receiver) => inner.start(receiver),
    send: (frame, line) => inner.send(frame, line),
    drained: () => inner.drained(),
    endInput: () => inner.endInput(),
    pause: () => inner.pause(),
    resume: () => inner.resume(),
    stop: (graceMs) => inner.stop(graceMs),
    ...overrides,
  };
}

/** The same for a receiver, to intercept what arrives. */
export function wrapReceiver(
  inner: TransportReceiver,
  overrides: Partial<TransportReceiver>,
): TransportReceiver {
  return {
    frame: (frame, byteLength, line) => inner.frame(frame, byteLength, line),
    noise: (line) => inner.noise(line),
    dropped: (frame) => tellDropped(inner, frame),
    stderr: (text) => inner.stderr(text),
    end: (end) => inner.end(end),
    ...overrides,
  };
}
