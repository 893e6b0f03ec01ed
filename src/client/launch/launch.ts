import type { Warn } from '../../options/normalise.js';
import type { AgentPlan } from '../../options/plan.js';
import type { GivenOptions } from '../../options/row.js';
import { failedTransport } from '../../protocol/transport/failed-transport.js';
import type { Transport } from '../../protocol/transport/transport.js';
import type { InitializeRequest } from '../../protocol/wire/control-requests.js';
import type { Tap } from '../query/observers.js';
import type { Trace } from '../query/trace.js';

/** What an agent is started with. */
export interface LaunchRequest {
  readonly options: GivenOptions;
  readonly plan: AgentPlan;
  /** The agent's whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Includes what the host announces: its hooks and in-process servers. */
  readonly initialize: InitializeRequest;
  /** The names of the in-process servers. */
  readonly serverNames: readonly string[];
  readonly warn: Warn;
  /** Shows the frames to observers, if there are any. */
  readonly tap: Tap;
  /** Undefined if the conversation is not traced. */
  readonly trace: Trace | undefined;
}

/** How errors name the CLI. */
export const CLAUDE_CODE = 'Claude Code';

/** A started agent, and what a conversation with it needs. */
export interface Launch {
  /** How errors name it, at the beginning of a sentence. */
  agent: string;
  transport: Transport;
  initialize: InitializeRequest;
  /** For error messages: redacted. */
  argv: readonly string[];
  cliVersion: string | undefined;
  /** The interpreter of a script; undefined for a native program. */
  interpreter: string | undefined;
  /** The CLI has read what it needs: private files are removed. Idempotent. */
  ready(): void;
  /** The agent has exited: everything created for it is removed. Idempotent. */
  ended(): void;
}

/** The initial state of a launch; the caller replaces its transport. */
export function unstartedLaunch(initialize: InitializeRequest): Launch {
  return { ...NOT_STARTED, initialize };
}

/** A launch that failed: the conversation ends immediately, with the reason. */
export function failedLaunch(error: Error): Launch {
  return {
    agent: 'The agent',
    transport: failedTransport(error),
    initialize: {},
    argv: [],
    cliVersion: undefined,
    interpreter: undefined,
    ready: () => {},
    ended: () => {},
  };
}

const NOT_STARTED: Launch = failedLaunch(new Error('The agent was not started.'));
