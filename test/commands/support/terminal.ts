/**
 * A real pseudo-terminal with a real terminal emulator behind it: what a test reads is what a person would see. Where
 * the pseudo-terminal has no build for the platform, `describeInTerminal` skips, and the report says so.
 */
import headless from '@xterm/headless';
import { describe } from 'vitest';
import { waitUntil } from '../../support/real-cli.js';
import { program } from './tenon.js';

type Pty = typeof import('@lydell/node-pty');

const pty: Pty | undefined = await import('@lydell/node-pty').catch(() => undefined);

export const describeInTerminal: (name: string, tests: () => void) => void =
  pty === undefined ? (name, tests) => describe.skip(`${name} (no pseudo-terminal here)`, tests) : describe;

export interface TerminalOptions {
  env: Record<string, string>;
  cwd?: string;
  columns?: number;
}

export const CTRL_C = '\u0003';

export class Terminal implements Disposable {
  /** Everything that was written, with its control sequences. */
  raw = '';
  readonly exited: Promise<number>;
  readonly #screen: headless.Terminal;
  readonly #process: import('@lydell/node-pty').IPty;
  #isOver = false;

  constructor(args: readonly string[], { env, cwd, columns = 80 }: TerminalOptions) {
    if (pty === undefined) throw new Error('There is no pseudo-terminal on this machine.');
    this.#screen = new headless.Terminal({ cols: columns, rows: 40, allowProposedApi: true });
    this.#process = pty.spawn(process.execPath, [program, ...args], {
      name: 'xterm-256color',
      cols: columns,
      rows: 40,
      env: { TERM: 'xterm-256color', ...env },
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#process.onData((data) => {
      this.raw += data;
      this.#screen.write(data);
    });
    this.exited = new Promise((resolve) => {
      this.#process.onExit(({ exitCode }) => {
        this.#isOver = true;
        resolve(exitCode);
      });
    });
  }

  get pid(): number {
    return this.#process.pid;
  }

  press(keys: string): void {
    this.#process.write(keys);
  }

  /** The lines on the screen, without empty ones at the end. */
  async lines(): Promise<string[]> {
    await new Promise<void>((resolve) => this.#screen.write('', resolve));
    const { active } = this.#screen.buffer;
    const lines = Array.from({ length: active.length }, (_, row) =>
      (active.getLine(row)?.translateToString(true) ?? '').trimEnd(),
    );
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  }

  async text(): Promise<string> {
    return (await this.lines()).join('\n');
  }

  /** Waits until the screen shows it. */
  async sees(what: string | RegExp): Promise<void> {
    let text = '';
    try {
      await waitUntil(
        async () => {
          text = await this.text();
          return typeof what === 'string' ? text.includes(what) : what.test(text);
        },
        { what: `${what} on the screen` },
      );
    } catch (error) {
      throw new Error(`${(error as Error).message}. It shows:\n${text}`);
    }
  }

  [Symbol.dispose](): void {
    if (!this.#isOver) this.#process.kill('SIGKILL');
    this.#screen.dispose();
  }
}
