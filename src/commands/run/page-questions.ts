import type { QuestionAnswer } from '../../inspector/feed-lines.js';
import { redactorOf } from '../../inspector/for-commands.js';
import type { Inspector } from '../../inspector/inspector.js';

/** The part of an inspector that shows questions. */
export type QuestionBoard = Pick<Inspector, 'question' | 'answered'>;

/** A question that is shown on the page. */
export interface PageQuestion {
  /** Resolves if it is answered there; otherwise never. */
  readonly answer: Promise<QuestionAnswer>;
  /** Takes it off the page. */
  over(by: 'page' | 'terminal' | 'withdrawn', words: string): void;
}

/** Questions that can be answered on the inspector's page, too. */
export class PageQuestions {
  #board: QuestionBoard | undefined;
  /** The page is told no more than a recording. */
  readonly #redactor = redactorOf([], process.env);
  #asked = 0;
  readonly #known = new Set<string>();
  readonly #open = new Map<string, (answer: QuestionAnswer) => void>();

  /** From now on questions are shown there. */
  showOn(board: QuestionBoard): void {
    this.#board = board;
  }

  /** `requestId`: of the agent, by which the page finds it among its frames. Another agent may count from one again. */
  ask(requestId: string, tool: string, input: unknown): PageQuestion {
    this.#asked += 1;
    const id = this.#known.has(requestId) ? `${requestId}/${this.#asked}` : requestId;
    this.#known.add(requestId);
    const answer = new Promise<QuestionAnswer>((resolve) => this.#open.set(id, resolve));
    this.#board?.question({ id, tool, input: this.#redactor.value(input) });
    const over: PageQuestion['over'] = (by, words) => {
      this.#open.delete(id);
      this.#board?.answered(id, by, words);
    };
    return { answer, over };
  }

  /** An answer from the page. False if somebody was first. */
  readonly answer = (id: string, answer: QuestionAnswer): boolean => {
    const resolve = this.#open.get(id);
    this.#open.delete(id);
    resolve?.(answer);
    return resolve !== undefined;
  };
}
