/*
 * What the inspector's server sends to its page: one JSON value a line, over one response that stays open. Lines of
 * tapes go through as they stand in the file, blocks included; the page puts those in itself.
 */
import type { TapeHead, TapeLine } from '../observe/tape-format.js';

export type FeedLine =
  /** The first. */
  | {
      readonly feed: 'hello';
      readonly tenon: string;
      /** What the header says: `shop.mjs`, `run.tape`. */
      readonly title: string;
      /** `program`: it runs, or ran, under `tenon inspect`; `tape`: read from files; `playground`: `tenon dev`. */
      readonly source: 'program' | 'tape' | 'playground';
      /** Whether the page may answer and call. */
      readonly control: boolean;
    }
  /** A run begins; its head follows as its first line. `name`: of its file. */
  | { readonly feed: 'run'; readonly run: number; readonly name: string }
  /** In one piece with the text of the line, so that it must not be parsed on the way. */
  | { readonly run: number; readonly line: TapeHead | TapeLine }
  /** A run that cannot be read further: a torn or foreign file. */
  | { readonly feed: 'broken'; readonly run: number; readonly message: string }
  /** The watched program. */
  | {
      readonly feed: 'program';
      readonly state: 'running' | 'ended';
      readonly code?: number | null;
      readonly signal?: string | null;
    }
  /** Everything that was there when the page came has been sent; what follows is live. */
  | { readonly feed: 'caught-up' }
  | { readonly feed: 'question'; readonly question: Question }
  /** It is over, whoever answered: `page`, `terminal`, or nobody (`withdrawn`). */
  | {
      readonly feed: 'answered';
      readonly id: string;
      readonly by: 'page' | 'terminal' | 'withdrawn';
      readonly answer: string;
    }
  | { readonly feed: 'playground'; readonly playground: Playground }
  /** The last one, before the server ends the response by itself: why. Who connects again gets everything anew. */
  | { readonly feed: 'cut'; readonly message: string };

/** A permission that somebody must give. */
export interface Question {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
}

export type QuestionAnswer = 'yes' | 'always' | 'no' | 'never';

/** The state of `tenon dev`, sent whole whenever it changes. */
export interface Playground {
  readonly file: string;
  /** What answers: `Claude Code CLI 2.1.325`, or `no key was found: a rehearsal model answers`. */
  readonly model: string;
  /** Whether that is a real model. */
  readonly isReal: boolean;
  readonly isBusy: boolean;
  readonly tools: readonly PlaygroundTool[];
  /** What is wrong with the file, since the last change. The tools are those of before. */
  readonly problem: string | undefined;
  /** How often the file was loaded. */
  readonly loads: number;
}

export interface PlaygroundTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Bodies of what the page posts; see `routes.ts` for the paths. */
export interface AnswerBody {
  readonly id: string;
  readonly answer: QuestionAnswer;
}
export interface CallBody {
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}
export interface PromptBody {
  readonly text: string;
}
