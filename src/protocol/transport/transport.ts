import type { Frame } from '../wire/frames.js';

/** How the other end ended. All null: it is not a process (an in-memory pair). */
export interface TransportEnd {
  code: number | null;
  signal: string | null;
  /** Set when the transport itself failed, for example because the process could not be started. */
  error?: Error;
}

/** Something the other end sent that nobody can use. */
export interface DroppedFrame {
  /** `too_long`: longer than `maxLineBytes`, or than a string can be. */
  reason: 'too_long' | 'malformed';
  /** As in `TransportReceiver.frame`. */
  byteLength: number;
  /** What is wrong with it, in a sentence. */
  problem: string;
  /** How it begins. */
  head: string;
}

/**
 * What a transport reports to its owner. None of these may block or throw: they run in the read loop.
 * `end` is called exactly once, last.
 */
export interface TransportReceiver {
  /**
   * `byteLength` is the size of the frame's line, or an estimate if there was no text. `line` is that text, for
   * whoever would otherwise make it again; a transport need not give it.
   */
  frame(frame: Frame, byteLength: number, line?: string): void;
  /** A line that is not a frame: not JSON, or not an object. */
  noise(line: string): void;
  /** A frame that is not delivered. The next one is, as usual. Without this it is noise. */
  dropped?(frame: DroppedFrame): void;
  stderr(text: string): void;
  end(end: TransportEnd): void;
}

/**
 * A duplex of frames between a host and an agent. `tenon/protocol` exports it for programs that bring their
 * own (a container, a remote machine). Each member says when it may be called and who bounds the wait.
 */
export interface Transport {
  /** The agent's process, when there is one and it has started. */
  readonly pid: number | undefined;
  /** Called once, first. Frames that arrive earlier are kept. */
  start(receiver: TransportReceiver): void;
  /**
   * Any time after `start`. Returns false when the other end is slow: bulk input should then wait for
   * `drained()`. Throws a `TenonError` with code `INPUT_CLOSED` after `endInput()`, `stop()` or the end. `line` is the
   * frame as JSON, if somebody has made it already; a transport need not look at it.
   */
  send(frame: Frame, line?: string): boolean;
  /** Resolves when the queue of unsent frames is short again, or when the other end is gone. */
  drained(): Promise<void>;
  /**
   * No more frames will be sent: the agent sees the end of its input, finishes its work and exits.
   * Idempotent.
   */
  endInput(): void;
  /** Reading may be paused while nothing in the stream can be needed. Both methods are idempotent. */
  pause(): void;
  resume(): void;
  /**
   * Ends the agent: first the end of input, then a harder measure after each grace period. With `graceMs` 0,
   * for an agent in the middle of its work, the harder measure comes immediately. Resolves when the agent has
   * ended; the transport bounds that wait. Idempotent; a later call may shorten `graceMs`.
   */
  stop(graceMs?: number): Promise<void>;
}
