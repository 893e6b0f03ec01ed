import { messageOf, TenonError } from '../protocol/errors.js';
import type { MessageFrame } from '../protocol/frames.js';
import type { SDKUserMessage } from '../protocol/messages/index.js';

/** What the input needs from the conversation. */
export interface InputTarget {
  /** False: the other end is slow, wait for `drained`. Throws `INPUT_CLOSED` when input has ended. */
  sendMessage(frame: MessageFrame): boolean;
  drained(): Promise<void>;
  /** Resolves when the next message may be written. */
  readyForNext(): Promise<void>;
  /** Called when no input is open any more, which may be the end of the conversation. */
  exhausted(): void;
}

function userMessage(text: string, verbatim: boolean): MessageFrame {
  const frame: MessageFrame = {
    type: 'user',
    session_id: '',
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
  };
  if (verbatim) frame.client_composed = true;
  return frame;
}

/** Writes what the user says: one string, or streams of messages, several at once if need be. */
export class UserInput {
  readonly #target: InputTarget;
  readonly #verbatim: boolean;
  // Lists and not sets: there is hardly ever more than one, and a hundred idle conversations have one each.
  #open: readonly AsyncIterator<SDKUserMessage>[] = [];
  #waits: readonly (() => void)[] = [];
  /** False until the prompt was given: an agent may speak before it. */
  #begun = false;
  #stopped = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(target: InputTarget, verbatim: boolean) {
    this.#target = target;
    this.#verbatim = verbatim;
  }

  get isOpen(): boolean {
    return !this.#begun || this.#open.length > 0;
  }

  writeText(text: string): void {
    try {
      this.#target.sendMessage(userMessage(text, this.#verbatim));
    } finally {
      this.#begun = true;
    }
    this.#target.exhausted();
  }

  /** Resolves when the stream has ended and all of it is written; rejects with what the stream threw. */
  async writeStream(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    const iterator = stream[Symbol.asyncIterator]();
    this.#open = [...this.#open, iterator];
    this.#begun = true;
    try {
      while (!this.#stopped) {
        const next = await this.#unlessStopped(iterator.next());
        if (next === undefined || next.done) break;
        await this.#write(checked(next.value));
      }
    } catch (error) {
      if (this.#stopped) return;
      void this.#release(iterator);
      throw error;
    } finally {
      this.#open = this.#open.filter((each) => each !== iterator);
    }
    if (!this.#stopped && this.#open.length === 0) this.#target.exhausted();
  }

  /** The conversation is over: generators of the user get to run their `finally`. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const iterator of this.#open) void this.#release(iterator);
    for (const wake of this.#waits) wake();
  }

  /** A stream may be silent for hours; when the conversation is over, nobody waits for its next message. */
  #unlessStopped<T>(pending: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const wake = (): void => resolve(undefined);
      const over = (): void => {
        this.#waits = this.#waits.filter((each) => each !== wake);
      };
      this.#waits = [...this.#waits, wake];
      pending.then(resolve, reject).finally(over);
    });
  }

  /** One message at a time, in order, even when several streams write. */
  #write(message: SDKUserMessage): Promise<void> {
    const written = this.#turn.then(async () => {
      await this.#target.readyForNext();
      if (this.#stopped) return;
      const frame = { ...message } as unknown as MessageFrame;
      if (this.#verbatim) frame.client_composed = true;
      if (!this.#target.sendMessage(frame)) await this.#target.drained();
    });
    this.#turn = written.catch(() => {});
    return written;
  }

  async #release(iterator: AsyncIterator<SDKUserMessage>): Promise<void> {
    try {
      await iterator.return?.();
    } catch {
      // The user's clean-up failed after the end; there is nobody left to tell.
    }
  }
}

function checked(value: unknown): SDKUserMessage {
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
