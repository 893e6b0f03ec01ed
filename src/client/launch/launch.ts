import type { InitializeRequest } from '../../protocol/control-requests.js';
import { failedTransport } from '../../protocol/failed-transport.js';
import type { Transport } from '../../protocol/transport.js';

/** An agent that was started, and what a conversation with it begins with. */
export interface Launch {
  transport: Transport;
  initialize: InitializeRequest;
  /** For error messages: redacted. */
  argv: readonly string[];
  cliVersion: string | undefined;
  /** The interpreter of a script; undefined for a program that runs by itself. */
  interpreter: string | undefined;
  /** The CLI has read what it needs: private files go away. Idempotent. */
  ready(): void;
  /** The agent is gone, and so is what was made for it. Idempotent. */
  ended(): void;
}

/** What a launch begins as; whatever makes one replaces its transport. */
export function unstartedLaunch(initialize: InitializeRequest): Launch {
  return { ...NOT_STARTED, initialize };
}

/** A launch that came to nothing: the conversation ends at once, with the reason. */
export function failedLaunch(error: Error): Launch {
  return {
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
