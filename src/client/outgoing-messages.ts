import { TenonError } from '../protocol/errors.js';
import type { MessageFrame } from '../protocol/frames.js';
import type { Transport } from '../protocol/transport.js';
import type { TurnState } from './turn-state.js';
import type { InputTarget } from './user-input.js';

/** Sends what the user says, and knows whether more may be said. */
export class OutgoingMessages implements InputTarget {
  readonly #transport: Transport;
  readonly #turns: TurnState;
  readonly #owner: { changed(): void };
  #waiting: (() => void)[] = [];
  #sent = 0;
  #isClosed = false;

  /** `owner` is told when nothing more is to be said. */
  constructor(transport: Transport, turns: TurnState, owner: { changed(): void }) {
    this.#transport = transport;
    this.#turns = turns;
    this.#owner = owner;
  }

  get sent(): number {
    return this.#sent;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  sendMessage(frame: MessageFrame): boolean {
    this.refuseWhenClosed();
    // Counted first: a process that lives in memory may answer before `send` returns.
    this.#turns.messageSent();
    this.#sent += 1;
    return this.#transport.send(frame);
  }

  drained(): Promise<void> {
    return this.#transport.drained();
  }

  /** A CLI that does not report its state gets one message per result, so that results can be told apart. */
  async readyForNext(): Promise<void> {
    while (!this.#isClosed && this.#sent > 0) {
      const reportsState = this.#turns.reportsState;
      if (reportsState === true || (reportsState === false && !this.#turns.awaitingResult)) return;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  exhausted(): void {
    this.#owner.changed();
  }

  /** Something has happened that the next message may have waited for. */
  wake(): void {
    if (this.#waiting.length > 0) for (const wake of this.#waiting.splice(0)) wake();
  }

  close(): void {
    this.#isClosed = true;
    this.wake();
  }

  refuseWhenClosed(): void {
    if (!this.#isClosed) return;
    throw new TenonError(
      'INPUT_CLOSED',
      'The input of this query has ended. For more turns give an async iterable as the prompt, or use createSession().',
    );
  }
}
