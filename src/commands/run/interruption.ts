import { setTimeout as wait } from 'node:timers/promises';
import type { Query } from '../../index.js';
import { LIMITS } from '../../protocol/limits.js';
import { EXIT } from '../exit-codes.js';
import type { Screen } from '../terminal/screen.js';

/** Ctrl-C: the first interrupts the turn, the second ends the agent, the third does not wait for it. */
export class Interruption {
  readonly #screen: Screen;
  #agent: Query | undefined;
  #presses = 0;
  #hasQuit = false;
  #exitCode: number | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Of the command, if it was interrupted. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** The agent was stopped, so that what its loop throws is no news. */
  get hasQuit(): boolean {
    return this.#hasQuit;
  }

  /** From now on to the end of the program. A terminal in raw mode sends keys, everybody else signals. */
  listen(agent: Query): void {
    this.#agent = agent;
    process.on('SIGINT', () => this.press());
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => void this.#quit(EXIT.terminated));
    }
  }

  press(): void {
    this.#presses += 1;
    this.#exitCode = EXIT.interrupted;
    if (this.#presses === 1) {
      this.#screen.note(this.#screen.paint.yellow('Interrupting the turn; Ctrl-C again quits.'));
      // An agent that does not listen is ended by the second press.
      this.#agent?.interrupt().catch(() => {});
    } else if (this.#presses === 2) void this.#quit(EXIT.interrupted);
    else process.exit(EXIT.interrupted);
  }

  async #quit(code: number): Promise<void> {
    this.#hasQuit = true;
    this.#exitCode = code;
    this.#screen.setStatus(undefined);
    this.#screen.note(this.#screen.paint.yellow('Stopped.'));
    // A tool of the user's that never ends must not hold the person.
    await Promise.race([this.#agent?.close(), wait(LIMITS.closeGraceMs)]).catch(() => {});
    process.exit(code);
  }
}
