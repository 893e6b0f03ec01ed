import type { Options } from '../../options/options.js';
import { TenonError } from '../../protocol/base/errors.js';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '../../protocol/wire/messages/index.js';
import type { QueryParameters } from './open-agent.js';
import { Outbox } from './outbox.js';
import type { Query } from './query-type.js';
import { givenMessage } from './trace.js';

/** A conversation of several turns. */
export interface Session extends AsyncDisposable {
  /** The underlying query, for everything else that it can do. */
  readonly query: Query;
  /** Sends a message; `stream` then yields the answer. */
  send(message: string | SDKUserMessage): void;
  /** The messages up to the result that ends the turn. */
  stream(): AsyncGenerator<SDKMessage, void>;
  /** `send` and `stream` in one: resolves with the result of the turn, even if the turn failed. */
  ask(message: string | SDKUserMessage): Promise<SDKResultMessage>;
  close(): Promise<void>;
}

/** `createSession()`, on the machine that `query` runs on. */
export function openSession(options: Options, query: (parameters: QueryParameters) => Query): Session {
  return new OpenConversation(options, query);
}

class OpenConversation implements Session {
  readonly query: Query;
  readonly #outbox = new Outbox();
  readonly #tracer: Options['tracer'];
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(options: Options, query: (parameters: QueryParameters) => Query) {
    this.#tracer = options.tracer;
    // A failed turn does not end the conversation, so its result is returned rather than thrown.
    this.query = query({ prompt: this.#outbox, options: { ...options, throwOnErrorResult: false } });
  }

  send(message: string | SDKUserMessage): void {
    const given: SDKUserMessage =
      typeof message === 'string'
        ? { type: 'user', message: { role: 'user', content: message }, parent_tool_use_id: null }
        : message;
    if (this.#tracer !== undefined) givenMessage(this.#tracer, given.message);
    this.#outbox.push(given);
  }

  async *stream(): AsyncGenerator<SDKMessage, void> {
    for (;;) {
      const { done, value } = await this.query.next();
      if (done) return;
      yield value;
      if (value.type === 'result' && value.final !== false) return;
    }
  }

  ask(message: string | SDKUserMessage): Promise<SDKResultMessage> {
    // One turn after another: two concurrent questions would read each other's answers.
    const answer = this.#lastTurn.then(() => this.#askNow(message));
    this.#lastTurn = answer.catch(() => {});
    return answer;
  }

  async #askNow(message: string | SDKUserMessage): Promise<SDKResultMessage> {
    this.send(message);
    let result: SDKResultMessage | undefined;
    for await (const each of this.stream()) if (each.type === 'result') result = each;
    if (result !== undefined) return result;
    throw new TenonError('NO_RESULT', 'The session ended before this turn had a result.');
  }

  async close(): Promise<void> {
    this.#outbox.end();
    await this.query.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
