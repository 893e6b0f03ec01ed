import type { CanUseTool, PermissionResult } from '../../index.js';
import { oneLine } from '../terminal/harmless.js';
import type { Keyboard } from '../terminal/keyboard.js';
import type { Screen } from '../terminal/screen.js';
import { cut } from '../terminal/text-width.js';
import { argumentsText, shownName } from './tool-text.js';

type Choice = 'yes' | 'always' | 'no' | 'never';

const KEYS: Record<string, Choice> = { y: 'yes', a: 'always', n: 'no', v: 'never' };
const LEGEND = '[y]es  [a]lways  [n]o  ne[v]er ';

const ANSWERS: Record<Choice, string> = {
  yes: 'yes',
  always: 'always in this run',
  no: 'no',
  never: 'never in this run',
};

/**
 * Asks the person before a tool runs, one question at a time, and remembers the answers for the whole run.
 */
export class PermissionQuestions {
  readonly #screen: Screen;
  readonly #keyboard: Keyboard | undefined;
  readonly #remembered = new Map<string, 'always' | 'never'>();
  #last: Promise<unknown> = Promise.resolve();
  #onAllowed: (toolUseId: string) => void = () => {};

  constructor(screen: Screen, keyboard: Keyboard | undefined) {
    this.#screen = screen;
    this.#keyboard = keyboard;
  }

  /** Called when a call is allowed, so that the time spent on the question is not counted as the tool's. */
  onAllowed(listener: (toolUseId: string) => void): void {
    this.#onAllowed = listener;
  }

  readonly canUseTool: CanUseTool = async (toolName, input, { signal, toolUseID }) => {
    const answer = this.#last.then(() => this.#decide(toolName, input, signal));
    this.#last = answer.catch(() => {});
    const result = await answer;
    if (result.behavior === 'allow') this.#onAllowed(toolUseID);
    return result;
  };

  async #decide(
    toolName: string,
    input: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<PermissionResult> {
    const known = this.#remembered.get(toolName);
    if (known !== undefined) return resultOf(known, toolName);
    if (this.#keyboard === undefined) return deniedWithoutTerminal(toolName);
    this.#screen.ask(this.#question(toolName, input));
    let choice: Choice;
    try {
      choice = await this.#keyboard.choose((key) => KEYS[key.toLowerCase()], signal);
    } catch {
      this.#screen.answered('(withdrawn)');
      return { behavior: 'deny', message: 'The question was withdrawn.' };
    }
    this.#screen.answered(this.#screen.paint.bold(ANSWERS[choice]));
    if (choice === 'always' || choice === 'never') this.#remembered.set(toolName, choice);
    return resultOf(choice, toolName);
  }

  /** The call on one line, the keys on the next, so that nothing important is cut even in a narrow window. */
  #question(toolName: string, input: Record<string, unknown>): string {
    const { paint, columns = 80 } = this.#screen;
    const name = shownName(toolName);
    const given = cut(oneLine(argumentsText(input)), Math.max(columns * 3 - name.length - 10, 20));
    return `${paint.yellow('?')} Run ${paint.bold(name)} ${given}\n  ${paint.dim(LEGEND)}`;
  }
}

function resultOf(choice: Choice, toolName: string): PermissionResult {
  if (choice === 'yes' || choice === 'always') return { behavior: 'allow' };
  return { behavior: 'deny', message: `The person at the terminal did not allow ${toolName}.` };
}

function deniedWithoutTerminal(toolName: string): PermissionResult {
  return {
    behavior: 'deny',
    message: `Nobody can be asked whether ${toolName} may run: tenon has no terminal. It needs --allow ${toolName}, or --yes.`,
  };
}
