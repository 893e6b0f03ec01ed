// `tenon/runtime` where there is no Node: the same names, with the Web's own interfaces and nothing else.
// Types are those of index.ts.

import type { AgentRuntime } from '../options/agent-runtime.js';
import { TenonError } from '../protocol/base/errors.js';
import type { Transport } from '../protocol/transport/transport.js';
import type { SessionStore } from '../protocol/wire/session-store.js';
import { embedded as embeddedAnywhere } from './embedded.js';
import { portablePlatform as platform } from './platform/portable.js';
import { type RunningRuntime, serveRuntime as serveAnywhere } from './serve.js';
import type { RuntimeConfig, RuntimeStart } from './start/runtime-config.js';

export { InMemorySessionStore } from '../sessions/memory-session-store.js';
export { summarize } from './context/context-options.js';
export { memoryJournal } from './journal.js';
export { ModelError } from './model.js';
export { modelFromFunction, textToEvents } from './own-model.js';
export { FlagError, parseFlags } from './start/flags.js';

/**
 * Runs the agent in this process: `query({ options: { runtime: embedded({ model }) } })`. One value serves
 * any number of queries.
 */
export function embedded(config: RuntimeConfig): AgentRuntime {
  return embeddedAnywhere({ ...config, platform });
}

/**
 * The agent's end of the protocol, over any transport: answers the host's requests, accepts its messages,
 * and writes messages.
 */
export function serveRuntime(
  transport: Transport,
  config: RuntimeConfig,
  start: RuntimeStart,
): RunningRuntime {
  return serveAnywhere(transport, { ...config, platform }, start);
}

/** Always throws: there are no files here. */
export function fileSessionStore(_directory: string): Required<SessionStore> {
  throw new TenonError(
    'NOT_SUPPORTED',
    'fileSessionStore: there are no files here. Give your own SessionStore, or an InMemorySessionStore. ' +
      'If this is Node, a bundler chose the files of "tenon/runtime" that are meant for workers and browsers.',
  );
}
