// `tenon/host` where there is no Node: the same names. Types are those of index.ts. The CLI, which is a process, throws.

import { portableMachine } from '../client/launch/portable-machine.js';
import { runQuery } from '../client/query/open-agent.js';
import { hostOn } from './create-host.js';
import type { Host, HostOptions } from './host.js';

export { toNodeHandler } from './http/node-handler.js';
export { LeaseLostError, QueueFullError, StorageError } from './storage/errors.js';
export { memoryStorage } from './storage/memory/memory-storage.js';

/** A program that holds any number of conversations. Without processes they are those with `options.runtime`. */
export function createHost(options: HostOptions): Host {
  return hostOn(options, (parameters) => runQuery(parameters, portableMachine));
}
