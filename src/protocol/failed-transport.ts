import type { Transport, TransportEnd } from './transport.js';

/** Stands in for an agent that could not be started: it ends at once, with the reason. */
export function failedTransport(error: Error): Transport {
  return endedTransport({ code: null, signal: null, error });
}

/** Stands in for a program that was called with what it does not know: it says so on stderr, and its exit code is 1. */
export function refusedTransport(text: string): Transport {
  return endedTransport({ code: 1, signal: null }, text);
}

function endedTransport(end: TransportEnd, stderr?: string): Transport {
  return {
    pid: undefined,
    start: (receiver) =>
      queueMicrotask(() => {
        if (stderr !== undefined) receiver.stderr(stderr);
        receiver.end(end);
      }),
    // Swallowed: the end follows at once, and tells whoever waits for an answer the reason.
    send: () => true,
    drained: async () => {},
    endInput: () => {},
    pause: () => {},
    resume: () => {},
    stop: async () => {},
  };
}
