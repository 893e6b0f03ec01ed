import { harmless } from './harmless.js';
import { type Palette, palette } from './palette.js';
import { type Output, print } from './print.js';
import { cut } from './text-width.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Returns to the first column and clears the line. */
const ERASE_LINE = '\r\u001b[K';
const DEFAULT_COLUMNS = 80;

/** A line that a person is typing. */
export interface InputLine {
  /** False if it is not on the screen. */
  hide(): boolean;
  show(): void;
}

/**
 * What a run shows. The answer goes to stdout, so that it can be piped; everything about it (calls,
 * questions, the closing line) to stderr. On a terminal the two share a screen, and a status line with a
 * spinner is below them.
 */
export class Screen {
  readonly paint: Palette;
  readonly #answers: Output;
  readonly #notes: Output;
  /** Undefined while nothing is in progress. */
  #status: (() => string) | undefined;
  #statusIsShown = false;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The last line of the answer is not finished yet. */
  #lineIsOpen = false;
  /** The status is hidden while a question is open. */
  #paused = false;
  /** The cursor is behind a question. */
  #questionIsOpen = false;
  #input: InputLine | undefined;

  constructor(answers: Output = process.stdout, notes: Output = process.stderr) {
    this.#answers = answers;
    this.#notes = notes;
    this.paint = palette(notes);
  }

  /** The width of the notes' terminal; undefined in a pipe, where lines may be of any length. */
  get columns(): number | undefined {
    return this.#notes.isTTY ? this.#notes.columns || DEFAULT_COLUMNS : undefined;
  }

  get isTerminal(): boolean {
    return this.#notes.isTTY === true;
  }

  /** The line below everything, which notes are written above. */
  setInput(input: InputLine | undefined): void {
    this.#input = input;
  }

  /** A part of the answer, as it arrives. */
  answer(text: string): void {
    const shown = harmless(text);
    if (shown === '') return;
    this.#eraseStatus();
    this.#answers.write(shown);
    this.#lineIsOpen = !shown.endsWith('\n');
  }

  /** Ends the line of the answer, if one is open. */
  endAnswer(): void {
    if (!this.#lineIsOpen) return;
    this.#eraseStatus();
    this.#answers.write('\n');
    this.#lineIsOpen = false;
  }

  /** A line that is not part of the answer. */
  note(line: string): void {
    const isTyping = this.#input?.hide() === true;
    this.#endQuestion();
    this.endAnswer();
    this.#eraseStatus();
    print(`${line}\n`, this.#notes);
    if (isTyping) this.#input?.show();
  }

  /** Shows a question without ending its line; `answered` shows the answer after it. */
  ask(question: string): void {
    this.#paused = true;
    this.endAnswer();
    this.#eraseStatus();
    print(question, this.#notes);
    this.#questionIsOpen = true;
  }

  answered(text: string): void {
    this.#paused = false;
    this.#questionIsOpen = false;
    print(`${text}\n`, this.#notes);
  }

  /** The same, in place of the last line of the question: nobody is asked here any more. */
  answeredElsewhere(line: string): void {
    this.#paused = false;
    if (this.#questionIsOpen && this.isTerminal) this.#notes.write(ERASE_LINE);
    else this.#endQuestion();
    this.#questionIsOpen = false;
    print(`${line}\n`, this.#notes);
  }

  /** Sets what is in progress. `status` is called for each frame of the spinner. */
  setStatus(status: (() => string) | undefined): void {
    this.#status = status;
    if (status === undefined) {
      this.#eraseStatus();
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.isTerminal) {
      this.#timer ??= setInterval(() => this.#drawStatus(), FRAME_MS).unref();
    }
  }

  /** Something is written below a question that nobody has answered yet. */
  #endQuestion(): void {
    if (this.#questionIsOpen) print('\n', this.#notes);
    this.#questionIsOpen = false;
  }

  #drawStatus(): void {
    // Never in the middle of a line of the answer.
    const text = this.#paused || this.#lineIsOpen ? '' : (this.#status?.() ?? '');
    if (text === '') {
      this.#eraseStatus();
      return;
    }
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const line = cut(`${FRAMES[this.#frame]} ${text}`, (this.columns ?? DEFAULT_COLUMNS) - 1);
    this.#notes.write(ERASE_LINE);
    print(this.paint.dim(line), this.#notes);
    this.#statusIsShown = true;
  }

  #eraseStatus(): void {
    if (!this.#statusIsShown) return;
    this.#notes.write(ERASE_LINE);
    this.#statusIsShown = false;
  }
}
