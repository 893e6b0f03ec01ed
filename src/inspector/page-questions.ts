import type { CanUseTool, PermissionResult } from '../protocol/permissions/permissions.js';
import type { QuestionAnswer } from './feed-lines.js';
import type { AnsweredBy, Inspector } from './inspector-types.js';

type Asking = Pick<Inspector, 'question' | 'answered'>;

const WORDS: Record<QuestionAnswer, string> = {
  yes: 'allowed',
  always: 'always allowed',
  no: 'denied',
  never: 'always denied',
};

interface Waiting {
  readonly tool: string;
  settle(result: PermissionResult | null | Promise<never>, by: AnsweredBy, words: string): void;
}

/** Asks in the page before a tool runs, and, if there is one, a callback at the same time: the first answer counts. */
export class PageQuestions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #remembered = new Map<string, 'always' | 'never'>();
  readonly #other: CanUseTool | undefined;
  #asking: Asking | undefined;

  constructor(other: CanUseTool | undefined) {
    this.#other = other;
  }

  /** From when on there is a page. */
  askIn(asking: Asking): void {
    this.#asking = asking;
  }

  /** The page answers. False: somebody was first. */
  answer(id: string, answer: QuestionAnswer): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    if (answer === 'always' || answer === 'never') this.#remembered.set(waiting.tool, answer);
    waiting.settle(resultOf(answer, waiting.tool), 'page', WORDS[answer]);
    return true;
  }

  /** Nobody is at the page any more: what is open is denied. */
  close(): void {
    this.#asking = undefined;
    for (const { tool, settle } of this.#waiting.values()) {
      settle(denial(`The inspector was closed before anybody allowed ${tool}.`), 'withdrawn', 'withdrawn');
    }
  }

  readonly canUseTool: CanUseTool = (toolName, input, context) => {
    const known = this.#remembered.get(toolName);
    if (known !== undefined) return Promise.resolve(resultOf(known, toolName));
    const asking = this.#asking;
    if (asking === undefined) return this.#without(toolName, input, context);
    return this.#ask(asking, toolName, input, context);
  };

  async #ask(
    asking: Asking,
    ...[tool, input, context]: Parameters<CanUseTool>
  ): Promise<PermissionResult | null> {
    const { requestId: id, signal } = context;
    const over = new AbortController();
    const withdraw = (): void => this.#waiting.get(id)?.settle(WITHDRAWN, 'withdrawn', 'withdrawn');
    const page = new Promise<PermissionResult | null>((resolve) => {
      const settle: Waiting['settle'] = (result, by, words) => {
        if (!this.#waiting.delete(id)) return;
        asking.answered(id, by, words);
        resolve(result);
      };
      this.#waiting.set(id, { tool, settle });
      asking.question({ id, tool, input });
    });
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) withdraw();
    const late = { ...context, signal: AbortSignal.any([signal, over.signal]) };
    if (this.#other !== undefined) void this.#askOther(this.#other, tool, input, late);
    try {
      return await page;
    } finally {
      signal.removeEventListener('abort', withdraw);
      over.abort();
    }
  }

  /** Never rejects: whoever waits for an answer gets the error in its place. */
  async #askOther(other: CanUseTool, ...call: Parameters<CanUseTool>): Promise<void> {
    const [, , { requestId }] = call;
    try {
      const result = await other(...call);
      const words = result?.behavior === 'allow' ? WORDS.yes : WORDS.no;
      this.#waiting.get(requestId)?.settle(result, 'terminal', words);
    } catch (error) {
      this.#waiting.get(requestId)?.settle(Promise.reject(error), 'terminal', 'failed');
    }
  }

  #without(...[toolName, input, context]: Parameters<CanUseTool>): Promise<PermissionResult | null> {
    if (this.#other !== undefined) return this.#other(toolName, input, context);
    return Promise.resolve(
      denial(`Nobody can be asked whether ${toolName} may run: the inspector is closed.`),
    );
  }
}

const WITHDRAWN: PermissionResult = denial('The question was withdrawn.');

function resultOf(answer: QuestionAnswer, tool: string): PermissionResult {
  if (answer === 'yes' || answer === 'always') return { behavior: 'allow' };
  return denial(`The person at the inspector did not allow ${tool}.`);
}

function denial(message: string): PermissionResult {
  return { behavior: 'deny', message };
}
