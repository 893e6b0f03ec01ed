import type { CallToolResult } from '../mcp/types.js';
import type { CallBody, FeedLine, Playground, Question, QuestionAnswer } from './feed-lines.js';

export interface InspectorOptions {
  /** What the header says: `shop.mjs`, `run.tape`. */
  readonly title: string;
  readonly source: 'program' | 'tape' | 'playground';
  /** Absent: the page may only look. */
  readonly control?: InspectorControl | undefined;
  /** An address; only 127.0.0.1, the default, without `allowRemote`. */
  readonly host?: string | undefined;
  /** 0, the default, picks a free one. */
  readonly port?: number | undefined;
  /** Others on the network can reach the page, whose address then is all that keeps them out. */
  readonly allowRemote?: boolean | undefined;
  /** Also with NODE_ENV=production. */
  readonly force?: boolean | undefined;
  /** false: the program ends although pages could still come. */
  readonly keepsAlive?: boolean | undefined;
}

/** What the page may do. What is left out is refused with a sentence. */
export interface InspectorControl {
  /** False: somebody was first, or there is no such question. */
  answer(id: string, answer: QuestionAnswer): boolean;
  /** `signal`: the page does not wait any longer. */
  call?(body: CallBody, signal: AbortSignal): Promise<CallToolResult>;
  prompt?(text: string): void;
  interrupt?(): Promise<void>;
}

export type ProgramState = Omit<Extract<FeedLine, { feed: 'program' }>, 'feed'>;

export type AnsweredBy = Extract<FeedLine, { feed: 'answered' }>['by'];

/** A server that shows runs to a page. */
export interface Inspector extends AsyncDisposable {
  /** For a browser. It has the token in its fragment: whoever knows it sees everything. */
  readonly url: string;
  /** Where the agent of a watched program reports its spans. */
  readonly otlp: { readonly endpoint: string; readonly token: string };
  /** A run whose lines are kept in memory. */
  addRun(name: string): RunFeed;
  /** A run in a file that may still grow. */
  addFile(name: string, path: string): FileFeed;
  program(state: ProgramState): void;
  question(question: Question): void;
  /** `answer` in words, for people: `allowed`, `denied for the session`. */
  answered(id: string, by: AnsweredBy, answer: string): void;
  playground(state: Playground): void;
  /** Resolves when nothing of it is left: pages are disconnected, the port is free. */
  close(): Promise<void>;
}

/** Where the lines of one run go. */
export interface RunFeed {
  /** Whole lines of a tape, each with its newline. The first is the head. */
  push(lines: string): void;
  /** It cannot be read any further; said once. */
  broken(message: string): void;
  /** Nothing more comes. What is kept of it may be given up, the oldest first, when memory is needed. */
  end(): void;
}

export interface FileFeed {
  /** Something may have been added to the file. Resolves when the pages can be sent it. */
  grown(): Promise<void>;
  /** Writes the spans that its agent reported into the file, if the recording has ended. */
  keepSpans(): Promise<void>;
}
