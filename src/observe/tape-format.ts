import { TenonError } from '../protocol/base/errors.js';
import type { ModelFailure, RunFacts } from '../protocol/transport/run-events.js';
import type { DroppedFrame } from '../protocol/transport/transport.js';
import type { Frame } from '../protocol/wire/frames.js';

/*
 * A tape is a file of JSON lines: a head, then what happened, in order, as it happened. Nothing that was written is
 * changed later. Whoever reads one passes over lines of a kind, and fields, that it does not know; what cannot be
 * passed over has another number in `tape`.
 */
export const TAPE_VERSION = 1;

/** The first line. */
export interface TapeHead extends RunFacts {
  tape: typeof TAPE_VERSION;
  /** The versions of what wrote it. */
  tenon: string;
  node: string;
  platform: string;
  /** The date and time at which `t` is 0. */
  startedAt: string;
  /** Distinguishes the conversations of a program. */
  conversation: string;
}

/** Every other line. `t`: milliseconds since the start, which never go back. */
export type TapeLine =
  | TapeFrame
  /** The embedded runtime asks its model … */
  | { kind: 'request'; t: number; id: number; request: Record<string, unknown> }
  /** … and is answered. `stopped`: the answer was not read to its end. */
  | { kind: 'answer'; t: number; id: number; events: unknown[]; error?: ModelFailure; stopped?: true }
  /**
   * What the Claude Code CLI asked its model over HTTP and was answered, as it wrote them down: bodies of the Messages
   * API. Told when the answer is complete; `began` is when it was asked.
   */
  | {
      kind: 'exchange';
      t: number;
      began: number;
      id: number;
      messageId?: string;
      request: Record<string, unknown>;
      response?: Record<string, unknown>;
      /** The bodies were longer than may be recorded: this many bytes. Long texts in them are cut. */
      cut?: number;
    }
  /** A span that the agent itself reported over OTLP. */
  | { kind: 'span'; t: number; span: AgentSpan }
  /** What the agent writes to stderr, and lines of its output that are no frames. */
  | { kind: 'stderr' | 'noise'; t: number; text: string }
  | { kind: 'dropped'; t: number; dropped: DroppedFrame }
  /** The program sends nothing more. */
  | { kind: 'input-end'; t: number }
  | TapeBlock
  | TapeEnd;

export interface TapeFrame {
  kind: 'frame';
  /** 1, 2, 3 …, both directions together. */
  n: number;
  t: number;
  /** `>`: to the agent; `<`: from it. */
  direction: '>' | '<';
  frame: Frame;
  /** The frame was longer than may be recorded: this many bytes. Long texts in it are cut. */
  cut?: number;
}

/** One span of OpenTelemetry, flat. Times as in `t`. */
export interface AgentSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  start: number;
  end: number;
  attributes: Record<string, string | number | boolean>;
  error?: string;
}

/**
 * A value that is written once and stands in later lines as `{"$block": id}`. An object that really has a field
 * `$block` is written as `{"$block": null, "value": …}`.
 */
export interface TapeBlock {
  kind: 'block';
  id: string;
  value: unknown;
}

/** The last line, unless the program was killed. */
export interface TapeEnd {
  kind: 'end';
  t: number;
  /** How the agent ended; null: it still ran when the program ended. */
  agent: { code: number | null; signal: string | null; error?: string } | null;
  /** The exit code of the program, if it ended before the agent. */
  program?: number;
  /** Why not everything was recorded. */
  cut?: string;
  totals: TapeTotals;
}

export interface TapeTotals {
  sent: number;
  received: number;
  requests: number;
  results: number;
  /** Of the last result, if it has one. */
  costUsd?: number;
}

/** What readers are given. */
export type PlayedLine = Exclude<TapeLine, TapeBlock>;

export interface Tape {
  /** Where it was read from. */
  readonly file: string;
  readonly head: TapeHead;
  /** Without blocks, which are filled in. */
  readonly lines: readonly PlayedLine[];
  /** Undefined: the program was killed, or is still running. */
  readonly end: TapeEnd | undefined;
}

/** A file that is no tape, or a broken one. */
export class TapeError extends TenonError {
  static override readonly className = 'TapeError';
  readonly file: string;
  /** 1 is the head. */
  readonly line: number | undefined;

  constructor(file: string, line: number | undefined, message: string) {
    super('INVALID_TAPE', `${file}${line === undefined ? '' : `, line ${line}`}: ${message}`);
    this.file = file;
    this.line = line;
  }
}
