import type { CanUseTool, CanUseToolContext, PermissionResult } from '../../index.js';
import type { QuestionAnswer } from '../../inspector/feed-lines.js';
import { oneLine } from '../terminal/harmless.js';
import type { Keyboard } from '../terminal/keyboard.js';
import type { Screen } from '../terminal/screen.js';
import { cut } from '../terminal/text-width.js';
import type { PageQuestion, PageQuestions } from './page-questions.js';
import { argumentsText, shownName } from './tool-text.js';

const KEYS: Record<string, QuestionAnswer> = { y: 'yes', a: 'always', n: 'no', v: 'never' };
const LEGEND = '[y]es  [a]lways  [n]o  ne[v]er ';

const ANSWERS: Record<QuestionAnswer, string> = {
  yes: 'yes',
  always: 'always in this run',
  no: 'no',
  never: 'never in this run',
};

/** The same for the page, which tells it to others than the one who answered. */
const OUTCOMES: Record<QuestionAnswer, string> = {
  yes: 'allowed',
  always: 'always allowed',
  no: 'denied',
  never: 'always denied',
};

/** Who can be asked. Without either, what is not allowed is denied. */
export interface Askable {
  keyboard: Keyboard | undefined;
  page?: PageQuestions | undefined;
}

interface Answer {
  choice: QuestionAnswer;
  by: 'page' | 'terminal';
}

/**
 * Asks the person before a tool runs, one question at a time, and remembers the answers for the whole run. With a page
 * it is asked in both places, and the first answer counts.
 */
export class PermissionQuestions {
  readonly #screen: Screen;
  readonly #asks: Askable;
  readonly #remembered = new Map<string, 'always' | 'never'>();
  #last: Promise<unknown> = Promise.resolve();
  #onAllowed: (toolUseId: string) => void = () => {};

  constructor(screen: Screen, asks: Askable) {
    this.#screen = screen;
    this.#asks = asks;
  }

  /** Called when a call is allowed, so that the time spent on the question is not counted as the tool's. */
  onAllowed(listener: (toolUseId: string) => void): void {
    this.#onAllowed = listener;
  }

  readonly canUseTool: CanUseTool = async (toolName, input, context) => {
    const answer = this.#last.then(() => this.#decide(toolName, input, context));
    this.#last = answer.catch(() => {});
    const result = await answer;
    if (result.behavior === 'allow') this.#onAllowed(context.toolUseID);
    return result;
  };

  async #decide(
    toolName: string,
    input: Record<string, unknown>,
    { signal, requestId }: CanUseToolContext,
  ): Promise<PermissionResult> {
    const { keyboard, page } = this.#asks;
    const known = this.#remembered.get(toolName);
    if (known !== undefined) return resultOf({ choice: known, by: 'terminal' }, toolName);
    if (keyboard === undefined && page === undefined) return deniedWithoutTerminal(toolName);
    this.#screen.ask(this.#question(toolName, input));
    const shown = page?.ask(requestId, toolName, input);
    const answer = await this.#firstAnswer(shown, signal).catch(() => undefined);
    this.#answered(answer, shown);
    if (answer === undefined) return { behavior: 'deny', message: 'The question was withdrawn.' };
    const { choice } = answer;
    if (choice === 'always' || choice === 'never') this.#remembered.set(toolName, choice);
    return resultOf(answer, toolName);
  }

  /** Rejects when the question is withdrawn. */
  async #firstAnswer(shown: PageQuestion | undefined, signal: AbortSignal): Promise<Answer> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const withdrawn = new Promise<never>((_, reject) => {
      either.addEventListener('abort', () => reject(either.reason), { once: true });
    });
    const key = this.#asks.keyboard?.choose((pressed) => KEYS[pressed.toLowerCase()], either);
    const answers: Promise<Answer>[] = [withdrawn];
    if (key !== undefined) answers.push(key.then((choice) => ({ choice, by: 'terminal' })));
    if (shown !== undefined) answers.push(shown.answer.then((choice) => ({ choice, by: 'page' })));
    // Whoever comes too late is not listened to any more.
    for (const answer of answers) answer.catch(() => {});
    try {
      return await Promise.race(answers);
    } finally {
      over.abort();
    }
  }

  #answered(answer: Answer | undefined, shown: PageQuestion | undefined): void {
    const words = answer === undefined ? 'withdrawn' : ANSWERS[answer.choice];
    if (answer === undefined) this.#screen.answered('(withdrawn)');
    else if (answer.by === 'terminal') this.#screen.answered(this.#screen.paint.bold(words));
    else this.#screen.answeredElsewhere(`  ${this.#screen.paint.bold(words)}, from the page`);
    shown?.over(answer?.by ?? 'withdrawn', answer === undefined ? words : OUTCOMES[answer.choice]);
  }

  /** The call on one line, the keys on the next, so that nothing important is cut even in a narrow window. */
  #question(toolName: string, input: Record<string, unknown>): string {
    const { paint, columns = 80 } = this.#screen;
    const name = shownName(toolName);
    const given = cut(oneLine(argumentsText(input)), Math.max(columns * 3 - name.length - 10, 20));
    const legend = this.#asks.keyboard === undefined ? 'asked on the page ' : LEGEND;
    return `${paint.yellow('?')} Run ${paint.bold(name)} ${given}\n  ${paint.dim(legend)}`;
  }
}

function resultOf({ choice, by }: Answer, toolName: string): PermissionResult {
  if (choice === 'yes' || choice === 'always') return { behavior: 'allow' };
  return { behavior: 'deny', message: `The person at the ${by} did not allow ${toolName}.` };
}

function deniedWithoutTerminal(toolName: string): PermissionResult {
  return {
    behavior: 'deny',
    message: `Nobody can be asked whether ${toolName} may run: tenon has no terminal. It needs --allow ${toolName}, or --yes.`,
  };
}
