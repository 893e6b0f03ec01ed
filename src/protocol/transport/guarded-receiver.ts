import { messageOf } from '../base/errors.js';
import { kindOf } from '../base/kinds.js';
import { type Frame, isFrame } from '../wire/frames.js';
import type { DroppedFrame, TransportEnd, TransportReceiver } from './transport.js';

const HEAD_CHARS = 200;

/**
 * Stands wherever frames are received. A transport calls its receiver from the event loop, so whatever a frame makes the
 * receiver throw would end the process and all its conversations: it is reported as a dropped frame instead.
 */
export class GuardedReceiver implements TransportReceiver {
  readonly #receiver: TransportReceiver;

  constructor(receiver: TransportReceiver) {
    this.#receiver = receiver;
  }

  frame(frame: Frame, byteLength: number, line?: string): void {
    if (!isFrame(frame)) {
      this.dropped(malformed(frame, byteLength, `a frame must be an object; it is ${kindOf(frame)}`));
      return;
    }
    try {
      this.#receiver.frame(frame, byteLength, line);
    } catch (error) {
      this.dropped(malformed(frame, byteLength, messageOf(error)));
    }
  }

  noise(line: string): void {
    this.#receiver.noise(line);
  }

  dropped(frame: DroppedFrame): void {
    tellDropped(this.#receiver, frame);
  }

  stderr(text: string): void {
    this.#receiver.stderr(text);
  }

  end(end: TransportEnd): void {
    this.#receiver.end(end);
  }
}

/** Also to a receiver that knows nothing of dropped frames. */
export function tellDropped(receiver: TransportReceiver, frame: DroppedFrame): void {
  if (receiver.dropped === undefined) receiver.noise(`[${frame.problem}] ${frame.head}`);
  else receiver.dropped(frame);
}

export function malformed(frame: unknown, byteLength: number, problem: string): DroppedFrame {
  return {
    reason: 'malformed',
    byteLength,
    problem: `A frame was dropped: ${problem}.`,
    head: headOf(frame),
  };
}

export function tooLong(byteLength: number, head: string): DroppedFrame {
  const problem = `A line of ${byteLength} bytes was dropped: it is longer than \`maxLineBytes\`, or than a string can be.`;
  return { reason: 'too_long', byteLength, problem, head };
}

/** Cyclic, or with members that throw: a frame need not come from JSON. */
function headOf(frame: unknown): string {
  try {
    return (JSON.stringify(frame) ?? typeof frame).slice(0, HEAD_CHARS);
  } catch (error) {
    return `[${messageOf(error)}]`;
  }
}
