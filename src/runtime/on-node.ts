import type { AgentRuntime } from '../options/agent-runtime.js';
import type { Transport } from '../protocol/transport/transport.js';
import { embedded as embeddedAnywhere } from './embedded.js';
import { nodePlatform as platform } from './platform/node.js';
import { type RunningRuntime, serveRuntime as serveAnywhere } from './serve.js';
import type { RuntimeConfig, RuntimeStart } from './start/runtime-config.js';

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
