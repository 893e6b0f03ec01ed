import type { Fields } from './values.js';

/** From a prompt to its result. */
export interface Turn {
  readonly id: string;
  readonly start: number;
  readonly firstFrame: number | undefined;
  /** Empty if the agent has begun it of its own accord, because something in the background has ended. */
  readonly prompt: string;
  end: number | undefined;
  lastFrame: number | undefined;
  result: Fields | undefined;
  /** Whether the agent has begun to work on it. */
  isBusy: boolean;
}

interface Prompt {
  readonly t: number;
  readonly frame: number;
  readonly text: string;
}

/** The turns of a run: one at a time, whatever is queued meanwhile. */
export class Turns {
  readonly all: Turn[] = [];
  readonly prompts: Prompt[] = [];
  readonly #queue: Prompt[] = [];
  #open: Turn | undefined;
  /** The prompt of the open turn, if it was queued: the agent may have answered it together with the one before. */
  #queued: Prompt | undefined;

  get open(): Turn | undefined {
    return this.#open;
  }

  prompted(prompt: Prompt): void {
    this.prompts.push(prompt);
    if (this.#open === undefined) this.#begin(prompt.t, prompt.frame, prompt.text);
    else this.#queue.push(prompt);
  }

  /** The agent does something in a turn. */
  busy(t: number, frame: number): Turn {
    const turn = this.#open ?? this.#begin(t, frame, this.#queued?.text ?? '');
    this.#queued = undefined;
    turn.isBusy = true;
    return turn;
  }

  ended(result: Fields, t: number, frame: number): void {
    const turn = this.#open ?? this.#begin(t, frame, '');
    turn.end = t;
    turn.lastFrame = frame;
    turn.result = result;
    this.#open = undefined;
    const next = this.#queue.shift();
    if (next !== undefined) this.#begin(t, next.frame, next.text);
    this.#queued = next;
  }

  /** The agent has nothing more to do: what was queued was answered together with the rest. */
  idle(): void {
    if (this.#open === undefined || this.#queued === undefined) return;
    this.all.pop();
    this.#open = undefined;
    this.#queue.length = 0;
  }

  #begin(start: number, firstFrame: number, prompt: string): Turn {
    const turn: Turn = {
      id: `turn:${this.all.length + 1}`,
      start,
      firstFrame,
      prompt,
      end: undefined,
      lastFrame: undefined,
      result: undefined,
      isBusy: false,
    };
    this.all.push(turn);
    this.#open = turn;
    return turn;
  }
}
