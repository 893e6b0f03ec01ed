import type { ReadStream } from 'node:tty';

const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';

/** Who gets the keys that answer no question. */
export interface KeyReader {
  press(keys: string): void;
}

/**
 * Reads the keys of a terminal one by one and without echo for the whole run, so that typing while the agent
 * works neither garbles the screen nor answers a later question. Ctrl-C and Ctrl-Z keep their meaning.
 */
export class Keyboard {
  readonly #input: ReadStream;
  readonly #onInterrupt: () => void;
  #editor: KeyReader | undefined;
  #onKey: ((key: string) => void) | undefined;

  constructor(input: ReadStream, onInterrupt: () => void) {
    this.#input = input;
    this.#onInterrupt = onInterrupt;
    input.setRawMode(true);
    input.setEncoding('utf8');
    input.on('data', this.#read);
    process.on('SIGCONT', this.#continued);
  }

  /** From now on keys go there, unless a question is open. */
  typeInto(editor: KeyReader): void {
    this.#editor = editor;
  }

  /** Resolves with the first choice that `choiceOf` returns for a key; rejects when the signal is aborted. */
  choose<Choice>(choiceOf: (key: string) => Choice | undefined, signal: AbortSignal): Promise<Choice> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#onKey = undefined;
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        stop();
        reject(signal.reason);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#onKey = (key) => {
        const choice = choiceOf(key);
        if (choice === undefined) return;
        stop();
        resolve(choice);
      };
    });
  }

  /** Restores the terminal. */
  close(): void {
    process.off('SIGCONT', this.#continued);
    this.#input.off('data', this.#read);
    this.#input.setRawMode(false);
    this.#input.pause();
  }

  readonly #read = (data: string | Buffer): void => {
    const keys = String(data);
    if (keys.includes(CTRL_C)) this.#onInterrupt();
    else if (keys === CTRL_Z) this.#suspend();
    // Several characters at once are an arrow key or pasted text, not an answer; a trailing Enter is ignored.
    else if (this.#onKey !== undefined) this.#onKey(keys.replace(/[\r\n]+$/, ''));
    else this.#editor?.press(keys);
  };

  #suspend(): void {
    if (process.platform === 'win32') return;
    this.#input.setRawMode(false);
    // The whole group, as the terminal itself would: `npx` is part of it.
    process.kill(0, 'SIGTSTP');
  }

  readonly #continued = (): void => {
    this.#input.setRawMode(true);
  };
}
