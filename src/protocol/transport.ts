import type { Frame } from './frames.js';

/** How the other end went away. All null: it ended without being a process (an in-memory pair). */
export interface TransportEnd {
  code: number | null;
  signal: string | null;
  /** Set when the transport itself failed, for instance because the process could not be started. */
  error?: Error;
}

/**
 * What a transport tells its owner. None of these may block or throw: they run in the read loop.
 * `end` comes exactly once and last.
 */
export interface TransportReceiver {
  /** `byteLength` is the size of the frame's line, or an estimate where there was no text. */
  frame(frame: Frame, byteLength: number): void;
  /** A line that is not a frame: not JSON, no object, or dropped for its length. */
  noise(line: string): void;
  stderr(text: string): void;
  end(end: TransportEnd): void;
}

/**
 * A duplex of frames between a host and an agent. `tenon/protocol` exports it for people who bring their own
 * (a container, a remote machine). Each member says when it may be called and who bounds its waiting.
 */
export interface Transport {
  /** The agent's process, when there is one and it has started. */
  readonly pid: number | undefined;
  /** Once, first. Frames that arrive before are kept. */
  start(receiver: TransportReceiver): void;
  /**
   * Any time after `start`. Returns false when the other end is slow: bulk input should then wait for `drained()`.
   * Throws a `TenonError` with code `INPUT_CLOSED` after `endInput()`, `stop()` or the end.
   */
  send(frame: Frame): boolean;
  /** Resolves when the queue of unsent frames is short again, or when there is nobody left to send to. */
  drained(): Promise<void>;
  /** No more frames will be sent: the agent sees end of input, finishes its work and leaves. Idempotent. */
  endInput(): void;
  /** Reading may be paused while nothing in the stream can be needed. Both are idempotent. */
  pause(): void;
  resume(): void;
  /**
   * Ends the agent: end of input, and after each grace period a harder measure. With `graceMs` 0, for an agent in
   * the middle of its work, the harder measure comes at once. Resolves when it is gone; the transport bounds that.
   * Idempotent; a later call may shorten `graceMs`.
   */
  stop(graceMs?: number): Promise<void>;
}
