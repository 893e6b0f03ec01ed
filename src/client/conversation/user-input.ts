import { messageOf, TenonError } from '../../protocol/base/errors.js';
import type { Transport } from '../../protocol/transport/transport.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { SDKUserMessage } from '../../protocol/wire/messages/index.js';
import type { TurnState } from './turn-state.js';

/** What starts a conversation. */
export type Prompt = string | AsyncIterable<SDKUserMessage>;

/** Writes the user's input: one string, or streams of messages, several at the same time if need be. */
export class UserInput {
  readonly #transport: Transport;
  readonly #turns: TurnState;
  readonly #verbatim: boolean;
  readonly #exhausted: () => void;
  // Arrays, which are smaller than sets: there is hardly ever more than one entry, and idle conversations add
  // up.
  #open: readonly AsyncIterator<SDKUserMessage>[] = [];
  #waits: readonly (() => void)[] = [];
  #waitingForTurn: (() => void)[] = [];
  #lastWrite: Promise<void> = Promise.resolve();
  /** False until the prompt is given: an agent may send messages before that. */
  #begun = false;
  #stopped = false;
  #isClosed = false;
  #sent = 0;

  /** `exhausted` is called when no input is open any more, which may end the conversation. */
  constructor(transport: Transport, turns: TurnState, verbatim: boolean, exhausted: () => void) {
    this.#transport = transport;
    this.#turns = turns;
    this.#verbatim = verbatim;
    this.#exhausted = exhausted;
  }

  /** Whether the user may still send more. */
  get isOpen(): boolean {
    return !this.#begun || this.#open.length > 0;
  }

  /** Whether nothing more will be sent. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get sent(): number {
    return this.#sent;
  }

  writeText(text: string): void {
    try {
      this.#send(userMessage(text));
    } finally {
      this.#begun = true;
    }
    this.#exhausted();
  }

  /** Resolves when the stream has ended and been written completely; rejects with what the stream threw. */
  async writeStream(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    this.#refuseWhenClosed();
    const iterator = stream[Symbol.asyncIterator]();
    this.#open = [...this.#open, iterator];
    this.#begun = true;
    try {
      while (!this.#stopped) {
        const next = await this.#unlessStopped(iterator.next());
        if (next === undefined || next.done) break;
        await this.#write(checkedMessage(next.value));
      }
    } catch (error) {
      if (this.#stopped) return;
      void this.#release(iterator);
      throw error;
    } finally {
      this.#open = this.#open.filter((each) => each !== iterator);
    }
    if (!this.#stopped && this.#open.length === 0) this.#exhausted();
  }

  /** One message besides the streams, which the agent may take for a command. */
  async writeCommand(text: string, uuid: string): Promise<void> {
    this.#refuseWhenClosed();
    const message = { role: 'user' as const, content: text };
    await this.#write({ type: 'user', message, parent_tool_use_id: null, uuid } as SDKUserMessage, false);
  }

  /** Lets a waiting message check whether it may be sent now. */
  wake(): void {
    if (this.#waitingForTurn.length > 0) for (const wake of this.#waitingForTurn.splice(0)) wake();
  }

  close(): void {
    this.#isClosed = true;
    this.wake();
  }

  /** The conversation is over: the user's generators get to run their `finally`. */
  stop(): void {
    if (!this.#stopped) {
      this.#stopped = true;
      for (const iterator of this.#open) void this.#release(iterator);
      for (const wake of this.#waits) wake();
    }
    this.close();
  }

  /** A stream may be silent for hours; once the conversation is over, nobody waits for its next message. */
  #unlessStopped<T>(pending: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const wake = (): void => resolve(undefined);
      const forget = (): void => {
        this.#waits = this.#waits.filter((each) => each !== wake);
      };
      this.#waits = [...this.#waits, wake];
      pending.then(resolve, reject).finally(forget);
    });
  }

  /** One message at a time, in order, even when several streams write. */
  #write(message: SDKUserMessage, isVerbatim = this.#verbatim): Promise<void> {
    const written = this.#lastWrite.then(async () => {
      await this.#readyForNext();
      if (this.#stopped) return;
      const hasRoom = this.#send({ ...message } as unknown as MessageFrame, isVerbatim);
      if (!hasRoom) await this.#transport.drained();
    });
    this.#lastWrite = written.catch(() => {});
    return written;
  }

  /** A CLI that does not report its state gets one message per result, so that results can be matched. */
  async #readyForNext(): Promise<void> {
    while (!this.#isClosed && this.#sent > 0) {
      const reportsState = this.#turns.reportsState;
      if (reportsState === true || (reportsState === false && !this.#turns.awaitingResult)) return;
      await new Promise<void>((resolve) => this.#waitingForTurn.push(resolve));
    }
  }

  /** Returns false when the other end is slow and bulk input should wait. */
  #send(frame: MessageFrame, isVerbatim = this.#verbatim): boolean {
    this.#refuseWhenClosed();
    if (isVerbatim) frame.client_composed = true;
    // Counted first: an in-memory agent may answer before `send` returns.
    this.#turns.messageSent();
    this.#sent += 1;
    return this.#transport.send(frame);
  }

  #refuseWhenClosed(): void {
    if (!this.#isClosed) return;
    throw new TenonError(
      'INPUT_CLOSED',
      'The input of this query has ended. For more turns, pass an async iterable as the prompt, or use createSession().',
    );
  }

  async #release(iterator: AsyncIterator<SDKUserMessage>): Promise<void> {
    try {
      await iterator.return?.();
    } catch {
      // The user's cleanup failed after the end; there is nobody left to report it to.
    }
  }
}

function userMessage(text: string): MessageFrame {
  return {
    type: 'user',
    session_id: '',
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
  };
}

function checkedMessage(value: unknown): SDKUserMessage {
  if (typeof value === 'object' && value !== null && 'type' in value) return value as SDKUserMessage;
  throw new TenonError(
    'INPUT_FAILED',
    `The input stream yielded ${JSON.stringify(value) ?? String(value)}. Yield user messages: ` +
      "{ type: 'user', message: { role: 'user', content: '…' }, parent_tool_use_id: null }.",
  );
}

export function inputFailure(error: unknown): TenonError {
  if (TenonError.is(error)) return error;
  return new TenonError('INPUT_FAILED', `The input stream threw: ${messageOf(error)}`, { cause: error });
}
