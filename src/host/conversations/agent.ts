import type { QueryParameters } from '../../client/query/open-agent.js';
import { Outbox } from '../../client/query/outbox.js';
import type { Query } from '../../client/query/query-type.js';
import type { Options } from '../../options/options.js';
import { wait } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import type { CanUseTool } from '../../protocol/permissions/permissions.js';
import type { OnElicitation } from '../../protocol/wire/host-callbacks.js';
import type { SDKMessage, SDKUserMessage } from '../../protocol/wire/messages/index.js';
import { goOn } from '../notices.js';
import type { Lease } from '../storage/port/conversation.js';
import { agentOptions, isCli } from './agent-options.js';
import { CliSide } from './cli-side.js';
import type { TakenUp } from './cli-take-up.js';
import type { HostedJournal } from './hosted-journal.js';
import type { HostedStore } from './hosted-store.js';

export type OpenQuery = (parameters: QueryParameters) => Query;

/** Who answers the agent's questions while it works. */
export interface Desk {
  canUseTool: CanUseTool;
  onElicitation: OnElicitation;
}

export interface AgentParts {
  readonly open: OpenQuery;
  readonly options: Options;
  readonly store: HostedStore;
  readonly journal: HostedJournal;
  readonly resume: string | undefined;
  readonly partialMessages: boolean;
  /** Calls that people were asked about before. */
  readonly asked: ReadonlySet<string>;
  /** Called when nothing is left of it. */
  onEnd(): void;
}

/** The agent of one conversation: at work under a lease, or idle in memory until the next one. */
export class Agent {
  /** Of the lease that it has worked under last: under the next one it is current if nobody came between. */
  fence = 0;
  /** It has ended, by itself or because it was closed. */
  isOver = false;
  /** A process of the CLI. */
  readonly isProcess: boolean;
  readonly store: HostedStore;
  readonly journal: HostedJournal;
  readonly #query: Query;
  readonly #outbox = new Outbox();
  readonly #closing = new AbortController();
  readonly #cli: CliSide | undefined;
  #desk: Desk | undefined;

  constructor({ open, options, store, journal, resume, partialMessages, asked, onEnd }: AgentParts) {
    this.store = store;
    this.journal = journal;
    this.isProcess = isCli(options);
    const atWork = (): Desk => {
      if (this.#desk !== undefined) return this.#desk;
      throw new TenonError('CLOSED', 'The conversation is not at work: nobody can be asked.');
    };
    const whole = agentOptions(options, {
      store,
      journal,
      resume,
      partialMessages,
      asked,
      canUseTool: (...call) => atWork().canUseTool(...call),
      onElicitation: (...request) => atWork().onElicitation(...request),
    });
    this.#cli = this.isProcess ? new CliSide(store, journal) : undefined;
    this.#query = open({ prompt: this.#outbox, options: this.#cli?.around(whole) ?? whole });
    const over = (): void => {
      this.isOver = true;
      onEnd();
    };
    this.#query.exited.then(over, over);
  }

  /** From here on it writes under this lease. */
  begin(lease: Lease, desk: Desk): void {
    this.fence = lease.fence;
    this.#desk = desk;
    this.store.bind(lease);
    this.journal.bind(lease);
  }

  rest(): void {
    this.#desk = undefined;
    this.journal.onEnd = () => {};
    this.store.rest();
  }

  say(message: SDKUserMessage): void {
    this.#outbox.push(message);
  }

  /** What was begun goes on; on the CLI as it was taken up. */
  goOn(taken: TakenUp | undefined): void {
    const isTold = this.#cli === undefined || taken === undefined;
    const message = isTold ? goOn() : this.#cli?.goOn(taken);
    if (message !== undefined) this.say(message);
  }

  /** The next message; undefined: it has ended. */
  async next(): Promise<SDKMessage | undefined> {
    for (;;) {
      const { done, value } = await this.#query.next();
      if (done) return undefined;
      await this.#cli?.hear(value);
      const again = this.#cli?.again(value);
      if (again === undefined) return value;
      await wait(again.afterMs, { signal: this.#closing.signal });
      this.say(again.message);
    }
  }

  /** It was closed in the middle of a turn: what only it knows is stored. Returns what that tells the model. */
  async putAway(): Promise<SDKUserMessage[]> {
    return (await this.#cli?.putAway()) ?? [];
  }

  /** Ends the turn of what was said, also if the agent has not heard of it yet. */
  async interrupt(): Promise<void> {
    await this.#outbox.written();
    await this.#query.interrupt();
  }

  /** What it was doing is left open, for whoever goes on. Resolves when it is gone. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#outbox.end();
    await this.#query.close();
  }

  /** Why what it has done is not stored, if it is not. */
  get failure(): unknown {
    return this.journal.failure ?? this.store.failure;
  }
}
