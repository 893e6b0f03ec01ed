import type { Options } from '../../options/options.js';
import { nodeMachine } from '../launch/node-machine.js';
import { openSession, type Session } from './create-session.js';
import type { Query } from './query-type.js';
import { type QueryParameters, runQuery } from './run-query.js';

/**
 * Runs an agent. The process starts immediately; iterate over the result to read its messages. Invalid
 * options are thrown here; later failures are thrown by the loop.
 */
export function query(parameters: QueryParameters): Query {
  return runQuery(parameters, nodeMachine);
}

/** Opens a conversation of several turns over one process. */
export function createSession(options: Options = {}): Session {
  return openSession(options, query);
}
