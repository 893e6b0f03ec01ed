import type { Transport } from '../../protocol/transport.js';

/** Stands in for a process that could not be started: it ends at once, with the reason. */
export function failedTransport(error: Error): Transport {
  return {
    pid: undefined,
    start: (receiver) => queueMicrotask(() => receiver.end({ code: null, signal: null, error })),
    // Swallowed: the end follows at once, and tells whoever waits for an answer the reason.
    send: () => true,
    drained: async () => {},
    endInput: () => {},
    pause: () => {},
    resume: () => {},
    stop: async () => {},
  };
}
