import { EventEmitter } from 'node:events';
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';

const PROMPT = '> ';
/** Before every further line of one prompt. */
const CONTINUATION = '… ';
/** How many lines can be gone back to. */
export const HISTORY_LENGTH = 1000;

export interface LineEditorOptions {
  /** Its terminal. */
  output: NodeJS.WritableStream;
  /** The newest first. */
  history?: readonly string[];
  /** Called with each line that was entered. */
  onLine?(line: string): void;
}

/**
 * A text that a person types, with the keys of a shell: cursor keys, history, Ctrl-A, Ctrl-W. A line that ends in `\`
 * goes on in the next one; what was pasted is one text, however many lines it has.
 */
export class LineEditor {
  /** Synchronous, unlike a stream: whether a key is for this editor is decided when it is pressed. */
  readonly #keys = new Keys();
  readonly #output: NodeJS.WritableStream;
  readonly #lines: Interface;
  /** Lines that were ended while the last keys were taken. */
  #ended: string[] = [];
  /** Earlier lines of the same text. */
  #earlier: string[] = [];
  #done: ((text: string | undefined) => void) | undefined;
  #isShown = false;
  #isClosed = false;

  constructor({ output, history = [], onLine = () => {} }: LineEditorOptions) {
    this.#output = output;
    this.#lines = createInterface({
      input: this.#keys as unknown as NodeJS.ReadableStream,
      output,
      terminal: true,
      history: [...history],
      historySize: HISTORY_LENGTH,
      removeHistoryDuplicates: true,
      prompt: PROMPT,
    });
    this.#lines.on('line', (line) => {
      this.#ended.push(line);
      if (line.trim() !== '') onLine(line);
    });
    this.#lines.on('close', () => {
      this.#isClosed = true;
      this.#settle(undefined);
    });
  }

  /** Resolves with what was entered; undefined when the person leaves with Ctrl-D, or somebody else calls `leave`. */
  read(): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#done = resolve;
      this.show();
    });
  }

  /** Takes keys while it is shown; others are dropped. */
  press(keys: string): void {
    if (!this.#isShown) return;
    this.#begins(this.#lines.getCursorPos().rows);
    this.#keys.emit('data', keys);
    const ended = this.#ended.splice(0);
    if (ended.length > 0 && !this.#isClosed) this.#entered(ended);
  }

  /** Throws away what was typed. False if there was nothing. */
  clear(): boolean {
    if (!this.#isShown || (this.#lines.line === '' && this.#earlier.length === 0)) return false;
    this.#earlier = [];
    this.#begins(this.#lines.getCursorPos().rows);
    this.#lines.setPrompt(PROMPT);
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    return true;
  }

  /** Takes it off the screen, so that something else can be written there. False if it was not on it. */
  hide(): boolean {
    if (!this.#isShown) return false;
    this.#isShown = false;
    moveCursor(this.#output, 0, -this.#lines.getCursorPos().rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    return true;
  }

  /** Puts it back, with what was typed, if somebody waits for it. */
  show(): void {
    if (this.#done === undefined || this.#isShown || this.#isClosed) return;
    this.#isShown = true;
    this.#begins(0);
    this.#prompt(this.#earlier.length === 0 ? PROMPT : CONTINUATION);
  }

  /** As if the person had pressed Ctrl-D. */
  leave(): void {
    if (!this.#isClosed) this.#lines.close();
  }

  #entered(ended: string[]): void {
    const isPasted = ended.length > 1 || this.#lines.line !== '';
    const last = ended.at(-1) as string;
    const goesOn = /(?<!\\)(?:\\\\)*\\$/.test(last);
    // Something after the last line break: the person may want to write on.
    if (this.#lines.line !== '' || (goesOn && !isPasted)) {
      this.#earlier.push(...ended.slice(0, -1), goesOn && !isPasted ? last.slice(0, -1) : last);
      this.#prompt(CONTINUATION);
      return;
    }
    const text = [...this.#earlier.splice(0), ...ended].join('\n');
    if (text.trim() === '') this.#prompt(PROMPT);
    else this.#settle(text);
  }

  /** So many rows above the cursor. Node does not notice when a text grows over the end of a row. */
  #begins(rows: number): void {
    (this.#lines as Interface & { prevRows?: number }).prevRows = rows;
  }

  #prompt(prompt: string): void {
    this.#lines.setPrompt(prompt);
    this.#lines.prompt(true);
  }

  #settle(text: string | undefined): void {
    const done = this.#done;
    this.#done = undefined;
    this.#isShown = false;
    done?.(text);
  }
}

/** What `node:readline` needs of a stream. */
class Keys extends EventEmitter {
  resume(): this {
    return this;
  }

  pause(): this {
    return this;
  }
}
