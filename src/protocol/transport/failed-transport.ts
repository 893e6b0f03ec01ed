import type { Transport, TransportEnd } from './transport.js';

/** Stands in for an agent that could not be started: it ends immediately, with the reason. */
export function failedTransport(error: Error): Transport {
  return endedTransport({ code: null, signal: null, error });
}

/** Stands in for a program that rejects its arguments: it says so on stderr and exits with code 1. */
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
    // Dropped: the end follows immediately and gives the reason to anyone waiting for an answer.
    send: () => true,
    drained: async () => {},
    endInput: () => {},
    pause: () => {},
    resume: () => {},
    stop: async () => {},
  };
}
