import type { SecretValues } from '../base/secret-values.js';
import type { DroppedFrame } from './transport.js';

/** What is known about a conversation when it begins. */
export interface RunFacts {
  /** The Claude Code CLI, the embedded runtime, another `runtime`, or a `transport`. */
  readonly backEnd: 'cli' | 'embedded' | 'runtime' | 'transport';
  /** How errors name the agent. */
  readonly agent: string;
  /** The options that were given: their values where those cannot be secret, otherwise what they are. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * What happens in a conversation apart from its frames. JSON is text here, because a request or an answer may change
 * after it was told of.
 */
export type RunHappening =
  | {
      readonly kind: 'start';
      readonly facts: RunFacts;
      /** Hides what this conversation knows to be secret. It cannot be read from it. */
      readonly secrets: Pick<SecretValues, 'hide' | 'mayBeIn'>;
    }
  | { readonly kind: 'stderr' | 'noise'; readonly text: string }
  | { readonly kind: 'dropped'; readonly dropped: DroppedFrame }
  /** The embedded runtime asks its model; `body` is the request as JSON. */
  | { readonly kind: 'request'; readonly id: number; readonly body: string }
  | {
      readonly kind: 'answer';
      readonly id: number;
      /** The events of the answer, a JSON array. */
      readonly events: string;
      readonly error?: ModelFailure | undefined;
      /** The answer was not read to its end. */
      readonly stopped?: boolean | undefined;
    }
  | ModelCall
  /** The host sends nothing more. */
  | { readonly kind: 'input-end' }
  | {
      readonly kind: 'end';
      readonly code: number | null;
      readonly signal: string | null;
      readonly error?: string;
    };

/** What the Claude Code CLI asked its model over HTTP, and was answered, as it wrote them down. */
export interface ModelCall {
  readonly kind: 'exchange';
  /** When it was asked, as `at`. */
  readonly began: number;
  /** 1, 2, 3 … within a conversation. */
  readonly id: number;
  /** The id that the API gave to the answer. */
  readonly messageId?: string | undefined;
  /** The bodies, as JSON. Without `response` the CLI got no answer that it could use. */
  readonly request: string;
  readonly response?: string | undefined;
  /** They are so many bytes, which is more than is read. */
  readonly cut?: number | undefined;
}

/** Where an agent leaves what it asks its model. None of its methods throws. */
export interface ModelCalls {
  /** Tells of each until `finish`. */
  start(tell: (call: ModelCall) => void): void;
  /** The agent has ended: resolves when everything has been told. Bounds its wait itself. */
  finish(): Promise<void>;
}

export interface ModelFailure {
  readonly message: string;
  readonly status?: number;
  readonly type?: string;
}

/** What the channel `tenon:conversation` of `node:diagnostics_channel` carries. */
export type RunEvent = RunHappening & {
  /** As in `FrameInfo`. */
  readonly at: number;
  readonly conversation: string;
};

/** A frame as its line, for whoever writes it down. */
export interface FrameLine {
  readonly kind: 'frame';
  readonly direction: 'sent' | 'received';
  readonly at: number;
  readonly sequence: number;
  readonly line: string;
  /** `type` of the frame. */
  readonly type: unknown;
}

/** Writes a conversation down. None of its methods may throw or wait: they run in the read loop. */
export interface RunRecorder {
  take(event: RunEvent | FrameLine): void;
  /** After the end: resolves when everything is written, or the recording was given up. */
  close(): Promise<void>;
  /** The file, in which everything until now is written; undefined if there is none. */
  tape?(): Promise<string | undefined>;
}

/** Where a query says that it is recorded: for the parts of Tenon, not for users. */
export const TAPE_OF: unique symbol = Symbol('tenon.tape');

/** A query, to who wants to know its tape. */
export interface Recorded {
  [TAPE_OF]?(): Promise<string | undefined>;
}

/**
 * The channel of `node:diagnostics_channel` on which a conversation asks for recorders when it begins. For the parts of
 * Tenon: a recorder is given lines, which cost less than the copies on `tenon:frame`, and have secrets in them.
 */
export type Recorders = 'tenon:recorders';

export interface RecorderCall {
  add(recorder: RunRecorder): void;
}
