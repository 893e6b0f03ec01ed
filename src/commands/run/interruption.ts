import { setTimeout as wait } from 'node:timers/promises';
import type { Query } from '../../index.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { EXIT } from '../exit-codes.js';
import type { Screen } from '../terminal/screen.js';

/** What can be interrupted and ended. */
export type Stoppable = Pick<Query, 'interrupt' | 'close'>;

/**
 * Ctrl-C: the first interrupts the turn, the second ends the agent, the third does not wait for it. Between the turns of
 * a conversation somebody else decides what it means.
 */
export class Interruption {
  readonly #screen: Screen;
  #agent: Stoppable | undefined;
  #presses = 0;
  #hasQuit = false;
  #exitCode: number | undefined;
  #isTurn = false;
  #whenIdle: (() => void) | undefined;
  #cleanUp: () => Promise<unknown> = async () => {};

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** The exit code of the command, if it was interrupted. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** The agent was stopped, so whatever its loop throws is expected. */
  get hasQuit(): boolean {
    return this.#hasQuit;
  }

  /** What else must be ended before the program is. */
  alsoEnd(cleanUp: () => Promise<unknown>): void {
    this.#cleanUp = cleanUp;
  }

  /** Listens until the program ends. A terminal in raw mode sends keys; everything else sends signals. */
  listen(agent: Stoppable): void {
    this.#agent = agent;
    process.on('SIGINT', () => this.press());
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => void this.#quit(EXIT.terminated));
    }
  }

  /** What a press means while there is no turn. */
  idle(whenIdle: () => void): void {
    this.#whenIdle = whenIdle;
  }

  /** Earlier presses do not count. */
  turnBegins(): void {
    this.#presses = 0;
    this.#isTurn = true;
  }

  /** A turn that was interrupted is no failure of a conversation. */
  turnEnded(): void {
    this.#isTurn = false;
    if (!this.#hasQuit) this.#exitCode = undefined;
  }

  /** The person leaves between two turns. */
  leaves(): void {
    this.#hasQuit = true;
    this.#exitCode = EXIT.interrupted;
  }

  press(): void {
    if (this.#whenIdle !== undefined && !this.#isTurn) {
      this.#whenIdle();
      return;
    }
    this.#presses += 1;
    this.#exitCode = EXIT.interrupted;
    if (this.#presses === 1) {
      this.#screen.note(this.#screen.paint.yellow('Interrupting the turn; Ctrl-C again quits.'));
      // An agent that does not react is ended by the second press.
      this.#agent?.interrupt().catch(() => {});
    } else if (this.#presses === 2) void this.#quit(EXIT.interrupted);
    else process.exit(EXIT.interrupted);
  }

  async #quit(code: number): Promise<void> {
    this.#hasQuit = true;
    this.#exitCode = code;
    const others = this.#cleanUp();
    this.#screen.setStatus(undefined);
    this.#screen.note(this.#screen.paint.yellow('Stopped.'));
    // A tool that never ends must not keep the person waiting.
    const ended = Promise.all([this.#agent?.close(), others]);
    await Promise.race([ended, wait(LIMITS.closeGraceMs)]).catch(() => {});
    process.exit(code);
  }
}
