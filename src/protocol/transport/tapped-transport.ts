import type { Frame } from '../wire/frames.js';
import { GuardedReceiver } from './guarded-receiver.js';
import type { Transport } from './transport.js';
import { wrapReceiver, wrapTransport } from './wrap-transport.js';

export interface FrameInfo {
  /** `sent` to the agent, or `received` from it. */
  readonly direction: 'sent' | 'received';
  /**
   * Milliseconds since 1970, with fractions. It never goes backwards within a conversation, even if the clock
   * does.
   */
  readonly at: number;
  /** 1, 2, 3 … within a conversation, both directions together. */
  readonly sequence: number;
  /**
   * Distinguishes the conversations of a process. Not the agent's session id, which is not known at first.
   */
  readonly conversation: string;
}

/** What the channel `tenon:frame` of `node:diagnostics_channel` carries. */
export interface FrameEvent extends FrameInfo {
  readonly frame: Frame;
}

/** Called for every frame. The frame is a frozen copy without secrets. */
export type OnFrame = (frame: Frame, info: FrameInfo) => void;

/** Both methods run in the read loop: they may neither block nor throw. */
export interface FrameObserver<Seen> {
  /** Takes a copy before the frame is passed on, because its receiver may change it. */
  record(frame: Frame, direction: FrameInfo['direction']): Seen;
  tell(seen: Seen): void;
}

/**
 * Reports every frame to an observer, in order. A frame that the transport refuses was never sent, and is not
 * reported.
 */
export function tappedTransport<Seen>(inner: Transport, observer: FrameObserver<Seen>): Transport {
  const unreported: Seen[] = [];
  let sends = 0;
  const report = (): void => {
    for (let seen = unreported.shift(); seen !== undefined; seen = unreported.shift()) observer.tell(seen);
  };
  return wrapTransport(inner, {
    start: (receiver) =>
      inner.start(
        new GuardedReceiver(
          wrapReceiver(receiver, {
            frame: (frame, byteLength) => {
              unreported.push(observer.record(frame, 'received'));
              // A transport may answer within `send`; the answer is reported after the frame it answers.
              if (sends === 0) report();
              receiver.frame(frame, byteLength);
            },
          }),
        ),
      ),
    send: (frame) => {
      const seen = observer.record(frame, 'sent');
      unreported.push(seen);
      sends += 1;
      try {
        return inner.send(frame);
      } catch (error) {
        unreported.splice(unreported.indexOf(seen), 1);
        throw error;
      } finally {
        sends -= 1;
        if (sends === 0) report();
      }
    },
  });
}
