import { wait } from '../base/clock.js';
import { LIMITS } from '../base/limits.js';
import type { Frame } from '../wire/frames.js';
import { GuardedReceiver, tellDropped } from './guarded-receiver.js';
import type { RunHappening } from './run-events.js';
import type { Transport, TransportEnd, TransportReceiver } from './transport.js';
import { type TransportOverrides, wrapReceiver, wrapTransport } from './wrap-transport.js';

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
  /** Whether it writes frames down, and so has a use for their text. */
  readonly takesLines: boolean;
  /**
   * Takes a copy before the frame is passed on, because its receiver may change it. `line`: the frame as JSON, if there
   * is such a text.
   */
  record(frame: Frame, direction: FrameInfo['direction'], line: string | undefined): Seen;
  tell(seen: Seen): void;
  /** For who wants more than frames. */
  readonly rest?: RestObserver | undefined;
}

/** What happens besides frames. As above, except for `ended`. */
export interface RestObserver {
  happened(happening: RunHappening): void;
  /** The agent has ended: what this waits for comes before the host learns of it. Bounds its wait itself. */
  ended(end: AgentEnd): Promise<void>;
}

export type AgentEnd = Extract<RunHappening, { kind: 'end' }>;

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
  const rest = observer.rest === undefined ? undefined : new Rest(observer.rest);
  return wrapTransport(inner, {
    ...(rest === undefined ? {} : rest.around(inner)),
    start: (receiver) =>
      inner.start(
        new GuardedReceiver(
          wrapReceiver(receiver, {
            ...(rest === undefined ? {} : rest.before(receiver)),
            frame: (frame, byteLength, line) => {
              const seen = observer.record(frame, 'received', line);
              // A transport may answer within `send`; the answer is reported after the frame it answers.
              if (sends === 0) observer.tell(seen);
              else unreported.push(seen);
              receiver.frame(frame, byteLength, line);
            },
          }),
        ),
      ),
    send: (frame, given) => {
      // Made once, for the observer and for the transport.
      const line = given ?? (observer.takesLines ? lineOf(frame) : undefined);
      const seen = observer.record(frame, 'sent', line);
      unreported.push(seen);
      sends += 1;
      try {
        return inner.send(frame, line);
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

/** Undefined for what JSON has no form for: the transport says what it thinks of that. */
function lineOf(frame: Frame): string | undefined {
  try {
    return JSON.stringify(frame);
  } catch {
    return undefined;
  }
}

/** Reports what happens besides frames. */
class Rest {
  readonly #observer: RestObserver;
  #inputIsOver = false;
  #isStarted = false;
  /** Resolves when the agent has ended and the observer has been waited for. */
  readonly #ended: Promise<void>;
  #resolveEnded: (ended: Promise<void>) => void = () => {};

  constructor(observer: RestObserver) {
    this.#observer = observer;
    this.#ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  /** What a receiver is told. */
  before(receiver: TransportReceiver): Partial<TransportReceiver> {
    const { happened } = this.#observer;
    this.#isStarted = true;
    return {
      noise: (text) => {
        happened({ kind: 'noise', text });
        receiver.noise(text);
      },
      dropped: (dropped) => {
        happened({ kind: 'dropped', dropped });
        tellDropped(receiver, dropped);
      },
      stderr: (text) => {
        happened({ kind: 'stderr', text });
        receiver.stderr(text);
      },
      end: (end) => {
        this.#resolveEnded(this.#observer.ended(plainEnd(end)).then(() => receiver.end(end)));
      },
    };
  }

  /** The moments at which the host stops sending. */
  around(inner: Transport): TransportOverrides {
    return {
      endInput: () => {
        this.#inputEnds();
        inner.endInput();
      },
      stop: async (graceMs) => {
        this.#inputEnds();
        await inner.stop(graceMs);
        // Some transports tell of the end a moment after that.
        if (this.#isStarted)
          await Promise.race([this.#ended, wait(LIMITS.tapeCloseMs, { keepsAlive: false })]);
      },
    };
  }

  #inputEnds(): void {
    if (this.#inputIsOver) return;
    this.#inputIsOver = true;
    this.#observer.happened({ kind: 'input-end' });
  }
}

function plainEnd({ code, signal, error }: TransportEnd): AgentEnd {
  return { kind: 'end', code, signal, ...(error === undefined ? {} : { error: error.message }) };
}
