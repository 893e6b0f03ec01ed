import type { Transport } from '../../protocol/transport.js';
import type { Options } from '../options.js';
import { mirroredTransport } from './mirrored-transport.js';
import { restore } from './restore.js';

export interface StoredLaunch {
  options: Options & { sessionStore: NonNullable<Options['sessionStore']> };
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Starts the agent with these arguments. */
  open(args: string[]): Transport;
}

/** An agent whose conversation is kept in a store: what it goes on with is put in place first, what it says is copied. */
export async function openStored(launch: StoredLaunch, isStopped: () => boolean): Promise<Transport> {
  const { options, env, open } = launch;
  const args = await restore(options, launch.args, env);
  if (isStopped()) throw new Error('stopped');
  const { sessionStore, sessionStoreFlush = 'batched' } = options;
  return mirroredTransport(open(args), sessionStore, sessionStoreFlush);
}
