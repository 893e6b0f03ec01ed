import type { RunHappening } from '../protocol/transport/run-events.js';
import type { Transport } from '../protocol/transport/transport.js';
import type { Journal } from '../protocol/wire/journal.js';
import type { SessionStore, SessionStoreFlush } from '../protocol/wire/session-store.js';
import type { AgentPlan } from './plan.js';
import type { GivenOptions } from './row.js';
import type { ConversationTrace } from './tracer.js';

/** How a conversation is started, for whatever opens the connection to its agent. */
export interface AgentStart {
  /** What the options ask of the agent. */
  readonly plan: AgentPlan;
  /** The options themselves: an option that was not given is absent. */
  readonly options: GivenOptions;
  /**
   * The plan as arguments of the CLI's command line, secrets included: for an agent whose arguments nobody
   * else can see. Computed when read.
   */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Where the host wants the conversation stored, and earlier ones looked up. */
  readonly sessionStore?: SessionStore | undefined;
  readonly sessionStoreFlush?: SessionStoreFlush | undefined;
  /** For each call that reads from the store, in milliseconds. */
  readonly loadTimeoutMs?: number | undefined;
  /** Arguments and environment for a process, with no secrets in the arguments. */
  commandLine(): { args: string[]; env: Record<string, string | undefined> };
  /** Warns the user about something that does not prevent the conversation. */
  warn(text: string): void;
  /**
   * Present if somebody watches: to be told of each request to a model and of its answer, as JSON. It neither
   * throws nor waits.
   */
  readonly onModel?: ((exchange: ModelExchange) => void) | undefined;
  /** Present if the conversation is traced: for an agent that calls its tools and its model in this process. It never throws. */
  readonly trace?: Pick<ConversationTrace, 'call' | 'chat'> | undefined;
}

/** A request to a model, or the answer to it. */
export type ModelExchange = Extract<RunHappening, { kind: 'request' | 'answer' }>;

/** How errors name the runtime of `embedded()`. */
export const EMBEDDED_RUNTIME = 'The embedded runtime';

/** A transport of your own, for `options.transport`. Called once per conversation. */
export type OpenTransport = (start: AgentStart) => Transport;

/** An agent that is not a process: a value for `options.runtime`. */
export interface AgentRuntime {
  /** How errors name it, at the beginning of a sentence. Default: "The agent". */
  readonly name?: string | undefined;
  /** Called once per conversation. If it throws an `OptionError`, `query()` throws it. */
  open(start: AgentStart): Transport;
  /**
   * The same agent, which records its calls in this journal: what a host gives each of its conversations. Without it a
   * host cannot know which calls have run when its program was killed.
   */
  withJournal?(journal: Journal): AgentRuntime;
}
