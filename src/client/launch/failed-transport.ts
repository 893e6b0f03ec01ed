import { TenonError } from '../../protocol/errors.js';
import type { Transport } from '../../protocol/transport.js';

/** Stands in for a process that could not be started: it ends at once, with the reason. */
export function failedTransport(error: Error): Transport {
  return {
    pid: undefined,
    start: (receiver) => queueMicrotask(() => receiver.end({ code: null, signal: null, error })),
    send: () => {
      throw new TenonError('INPUT_CLOSED', 'Cannot send: the agent could not be started.', { cause: error });
    },
    drained: async () => {},
    endInput: () => {},
    pause: () => {},
    resume: () => {},
    stop: async () => {},
  };
}
