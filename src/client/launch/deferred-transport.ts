import { messageOf, TenonError } from '../../protocol/errors.js';
import type { Frame } from '../../protocol/frames.js';
import type { Transport, TransportReceiver } from '../../protocol/transport.js';

/** A transport that something has to be done for first. What is sent before it is there waits; a stop ends the waiting. */
export function deferredTransport(open: (isStopped: () => boolean) => Promise<Transport>): Transport {
  let inner: Transport | undefined;
  let receiver: TransportReceiver | undefined;
  let [stopped, inputEnded, paused] = [false, false, false];
  const waiting: Frame[] = [];
  let ready: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    ready = resolve;
  });

  const there = (): Transport | undefined => inner;
  const giveUp = (error?: Error): void => {
    if (stopped) return;
    stopped = true;
    receiver?.end({ code: null, signal: null, ...(error === undefined ? {} : { error }) });
    ready();
  };
  const begin = async (): Promise<void> => {
    try {
      const transport = await open(() => stopped);
      if (stopped) return void transport.stop(0);
      inner = transport;
      inner.start(receiver as TransportReceiver);
      for (const frame of waiting.splice(0)) inner.send(frame);
      if (inputEnded) inner.endInput();
      if (paused) inner.pause();
      ready();
    } catch (error) {
      giveUp(error instanceof Error ? error : new Error(messageOf(error)));
    }
  };

  return {
    get pid() {
      return inner?.pid;
    },
    start: (owner) => {
      receiver = owner;
      void begin();
    },
    send: (frame) => {
      if (inner !== undefined) return inner.send(frame);
      if (stopped || inputEnded) throw new TenonError('INPUT_CLOSED', 'The input has ended.');
      waiting.push(frame);
      return true;
    },
    drained: async () => {
      await opened;
      await there()?.drained();
    },
    endInput: () => {
      inputEnded = true;
      inner?.endInput();
    },
    pause: () => {
      paused = true;
      inner?.pause();
    },
    resume: () => {
      paused = false;
      inner?.resume();
    },
    stop: async (graceMs) => {
      if (inner !== undefined) return inner.stop(graceMs);
      // Nothing has started: with grace what was asked for is still done, without it nothing will.
      if (graceMs === 0) return giveUp();
      inputEnded = true;
      await opened;
      await there()?.stop(graceMs);
    },
  };
}
