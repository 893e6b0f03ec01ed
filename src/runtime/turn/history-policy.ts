import { untilAborted } from '../../protocol/base/cancellation.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { MessageParam } from '../../protocol/wire/content.js';
import { brokenPair } from '../transcript/pairs.js';
import type { TokenCounts } from './assistant-stream.js';

/**
 * Decides which part of a conversation the model reads: `embedded({ historyPolicy })`. Called once per
 * conversation; state that it needs between requests (a summary, how far results are cleared) belongs in a
 * closure.
 */
export type HistoryPolicy = () => HistorySelection;

/**
 * Called before each request; returns the messages for it. The transcript keeps everything in any case. It
 * may take as long as it needs, but an interrupt (`signal`) does not wait for it. An error that it throws
 * ends the turn.
 */
export type HistorySelection = (
  history: ConversationHistory,
  signal: AbortSignal,
) => readonly MessageParam[] | Promise<readonly MessageParam[]>;

export interface ConversationHistory {
  /** The whole conversation, oldest message first. It is frozen: to change a message, return a new object. */
  readonly messages: readonly MessageParam[];
  /** The name of the model that will be asked. */
  readonly model: string;
  /** Tokens of the last request and its answer, as counted by the model's API; undefined before the first. */
  readonly lastRequest: Readonly<TokenCounts> | undefined;
}

/** The policy failed, or its messages cannot be sent. */
export class HistoryError extends Error {}

/** The messages of each request: all of them, unless a policy selects some. */
export class RequestHistory {
  readonly #select: HistorySelection | undefined;
  /** Messages that are already frozen, so that the policy cannot change them. */
  #frozen: WeakSet<MessageParam> | undefined;

  constructor(policy: HistoryPolicy | undefined) {
    this.#select = policy?.();
  }

  async messages(history: ConversationHistory, signal: AbortSignal): Promise<readonly MessageParam[]> {
    const select = this.#select;
    if (select === undefined) return history.messages;
    for (const message of history.messages) this.#freeze(message);
    const given = { ...history, messages: Object.freeze([...history.messages]) };
    let selected: readonly MessageParam[];
    try {
      selected = await untilAborted((async () => select(given, signal))(), signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new HistoryError(`historyPolicy failed: ${messageOf(error)}`, { cause: error });
    }
    const problem = problemIn(selected);
    if (problem === undefined) return selected;
    throw new HistoryError(`historyPolicy returned messages that cannot be sent: ${problem}`);
  }

  #freeze(message: MessageParam): void {
    this.#frozen ??= new WeakSet();
    if (this.#frozen.has(message)) return;
    deepFreeze(message);
    this.#frozen.add(message);
  }
}

/** A problem that the model's API would reject, found before the request. */
function problemIn(messages: readonly MessageParam[]): string | undefined {
  if (!Array.isArray(messages)) return 'a list of messages was expected.';
  if (messages.length === 0) return 'the list is empty.';
  if (messages[0].role !== 'user') return 'the first message is not a user message.';
  if (messages.at(-1).role !== 'user') return 'the last message is not a user message.';
  const empty = messages.findIndex(({ content }) => content === undefined || content.length === 0);
  return empty === -1 ? brokenPair(messages, 'messages') : `messages[${empty}] has no content.`;
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
}
