import { messageOf, TenonError } from '../../protocol/base/errors.js';
import type { Transport, TransportReceiver } from '../../protocol/transport/transport.js';
import type { Frame } from '../../protocol/wire/frames.js';

/**
 * A transport that needs some work before it can open. Frames sent before then are queued; `stop` ends the
 * wait.
 */
export function deferredTransport(open: (isStopped: () => boolean) => Promise<Transport>): Transport {
  let inner: Transport | undefined;
  let receiver: TransportReceiver | undefined;
  let [stopped, inputEnded, paused] = [false, false, false];
  const waiting: Frame[] = [];
  let ready: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    ready = resolve;
  });

  // A function, because the compiler narrows `inner` to undefined in a closure that checked it before an
  // await.
  const current = (): Transport | undefined => inner;
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
      await current()?.drained();
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
      // Nothing has started: with a grace period the queued work is still done, without one it is dropped.
      if (graceMs === 0) return giveUp();
      inputEnded = true;
      await opened;
      await current()?.stop(graceMs);
    },
  };
}
