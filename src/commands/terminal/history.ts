import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeDirectory } from '../../protocol/base/user-directories.js';
import { HISTORY_LENGTH } from './line-editor.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Longer lines are pasted, and not worth going back to. */
const MAX_LINE_CHARS = 10_000;

/** What a person has typed in earlier conversations: a JSON string per line, in a file that nobody else can read. */
export class History {
  readonly #file: string;
  readonly #warn: (text: string) => void;
  #hasFailed = false;

  constructor(warn: (text: string) => void, env: Environment = process.env) {
    this.#file = join(stateDirectory(env), 'history');
    this.#warn = warn;
  }

  /** The newest first. What cannot be read is left out: a lost line is not worth an error. */
  read(): string[] {
    let text = '';
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#failed(error);
      return [];
    }
    const lines = text.split('\n').flatMap(parsed);
    if (lines.length > 2 * HISTORY_LENGTH) this.#shorten(lines.slice(-HISTORY_LENGTH));
    return lines.slice(-HISTORY_LENGTH).reverse();
  }

  /** As in a shell, a line that begins with a space is not kept. */
  add(line: string): void {
    if (this.#hasFailed || line.startsWith(' ') || line.length > MAX_LINE_CHARS) return;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      appendFileSync(this.#file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch (error) {
      this.#failed(error);
    }
  }

  #shorten(lines: readonly string[]): void {
    const shorter = `${this.#file}.${process.pid}`;
    try {
      writeFileSync(shorter, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
      chmodSync(shorter, 0o600);
      renameSync(shorter, this.#file);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!this.#hasFailed)
      this.#warn(`What you type is not kept for the next time: ${(error as Error).message}`);
    this.#hasFailed = true;
  }
}

function parsed(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? [value.replaceAll(/\s/g, ' ')] : [];
  } catch {
    return [];
  }
}

/** Where programs keep what they remember of their user. */
function stateDirectory(env: Environment): string {
  if (process.platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'tenon');
  return join(env.XDG_STATE_HOME || join(homeDirectory(env), '.local', 'state'), 'tenon');
}
