import type { SessionStore, SessionStoreFlush } from './session-store.js';
import type { Transport } from './transport.js';

/** How a conversation is started, in the words of the CLI's own command line. */
export interface AgentStart {
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Where the host wants the conversation kept, and an old one looked up. */
  sessionStore?: SessionStore | undefined;
  sessionStoreFlush?: SessionStoreFlush | undefined;
  /** For each call that reads from the store, in milliseconds. */
  loadTimeoutMs?: number | undefined;
}

/** An agent that is not a process: a value for `options.runtime`. */
export interface AgentRuntime {
  /** Called once per conversation. What is wrong with `args` is told as by a program: on stderr, with an exit code. */
  open(start: AgentStart): Transport;
}
