import type { AgentPlan } from '../../options/plan.js';
import type { GivenOptions } from '../../options/row.js';
import type { Transport } from '../../protocol/transport/transport.js';
import type { SessionStore } from '../../protocol/wire/session-store.js';
import { mirroredTransport } from './mirrored-transport.js';
import { restore } from './restore.js';

export interface StoredLaunch {
  readonly sessionStore: SessionStore;
  readonly options: GivenOptions;
  readonly plan: AgentPlan;
  readonly env: NodeJS.ProcessEnv;
  /** Starts the agent with this plan. */
  open(plan: AgentPlan): Transport;
}

/**
 * Starts an agent whose conversation is kept in a store: restores what it continues, and copies what it
 * writes.
 */
export async function openStored(launch: StoredLaunch, isStopped: () => boolean): Promise<Transport> {
  const { plan, restored } = await restore(launch);
  if (isStopped()) throw new Error('stopped');
  const { sessionStoreFlush: flush = 'batched' } = launch.options;
  return mirroredTransport(launch.open(plan), { store: launch.sessionStore, flush, restored });
}
