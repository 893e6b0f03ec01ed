import type { Transport } from '../../protocol/transport/transport.js';
import type { StoredLaunch } from '../stored/open-stored.js';
import { deferredTransport } from './deferred-transport.js';

export type KeptLaunch = Omit<StoredLaunch, 'sessionStore'>;

/**
 * Opens an agent, wrapped in its `sessionStore` if the options have one. The code for that is only loaded
 * then.
 */
export function openKept(launch: KeptLaunch): Transport {
  const { sessionStore } = launch.options;
  if (sessionStore === undefined) return launch.open(launch.plan);
  return deferredTransport(async (isStopped) => {
    const { openStored } = await import('../stored/open-stored.js');
    return openStored({ ...launch, sessionStore }, isStopped);
  });
}
