import { type TakenUp, takeUp } from '../conversations/cli-take-up.js';
import type { HostedStore, Stored } from '../conversations/hosted-store.js';
import { asked, withdrawn } from '../notices.js';
import { approvalOf } from '../read/approval-readers.js';
import type { CutRun } from './cut-off.js';

/** `isGoingOn`: readers know what waits. */
export interface TakingUp {
  readonly isStopped: boolean;
  readonly isGoingOn: boolean;
}

/** Takes a conversation of the CLI up whose process has ended in the middle of a turn, and tells readers what comes of it. */
export async function takeUpTelling(
  { lease, log, parts, prompt = '' }: CutRun,
  store: HostedStore,
  known: Stored,
  { isStopped, isGoingOn }: TakingUp,
): Promise<TakenUp> {
  const taken = await takeUp(parts.settings.storage, lease, store, known, isStopped);
  log.add(...taken.results);
  if (taken.next.do === 'wait' && !isGoingOn) {
    log.add(...taken.waiting.map((approval) => asked(prompt, approvalOf(approval))));
  }
  if (taken.withdrawn.length > 0) {
    log.add(...taken.withdrawn.map(({ id }) => withdrawn(id)));
    await log.commit({ withdraw: taken.withdrawn.map(({ key }) => key) });
  }
  return taken;
}
