import { messageOf, OptionError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { Agent } from '../conversations/agent.js';
import { parked, resumed } from '../notices.js';
import { LeaseLostError, StorageError } from '../storage/errors.js';
import type { ReleaseOptions } from '../storage/port/commit.js';
import type { Lease } from '../storage/port/conversation.js';
import type { EventLog } from './event-log.js';
import type { RunInbox } from './run-inbox.js';
import type { RunParts } from './run-parts.js';

/** Why the work on a prompt does not come to its end here. */
export type Cut =
  /** Nobody has answered a question: it is put away until somebody does. */
  | { kind: 'wait' }
  /** The program is to end. */
  | { kind: 'stop'; reason: string }
  /** Somebody else has the conversation. */
  | { kind: 'lost' }
  | { kind: 'failed'; error: unknown };

export interface CutRun {
  readonly lease: Lease;
  /** It has ended. */
  readonly agent: Agent | undefined;
  readonly log: EventLog;
  readonly inbox: RunInbox;
  readonly parts: RunParts;
  /** The id of the prompt that it was at work on, if it was. */
  readonly prompt: string | undefined;
}

/** Gives a conversation back whose turn is not finished. Whoever goes on does so from what is stored. */
export async function giveBack(cut: Cut, run: CutRun): Promise<void> {
  const { counts } = run.parts;
  if (cut.kind === 'lost' || (cut.kind === 'failed' && LeaseLostError.is(cut.error))) {
    counts.lostLeases += 1;
    return;
  }
  run.log.add(...((await run.agent?.putAway()) ?? []));
  if (cut.kind === 'wait') {
    counts.parked += 1;
    await release(run, { state: 'waiting' });
  } else if (cut.kind === 'stop') await again(run, cut.reason, 0);
  else await failed(run, cut.error);
}

/** Nothing runs until somebody has looked at it. */
export async function park(run: CutRun, reason: string): Promise<void> {
  tellAnew(run, reason);
  run.log.add(parked(reason));
  await release(run, { state: 'parked', reason });
}

async function failed(run: CutRun, error: unknown): Promise<void> {
  const { failures, settings } = run.parts;
  settings.problem({ during: 'a turn', error, session: run.lease });
  const reason = messageOf(error);
  if (StorageError.is(error)) return again(run, reason, LIMITS.hostStorageRetryMs);
  // Wrong options stay wrong until somebody changes them.
  const delayMs = OptionError.is(error) ? undefined : failures.next(run.lease);
  return delayMs === undefined ? park(run, reason) : again(run, reason, delayMs);
}

async function again(run: CutRun, reason: string, delayMs: number): Promise<void> {
  run.parts.counts.retries += 1;
  tellAnew(run, reason);
  await release(run, { state: 'queued', delayMs });
}

/** What was told of the prompt may be more than is stored, or less: whoever goes on tells it from the beginning. */
function tellAnew({ log, prompt }: CutRun, reason: string): void {
  log.forget();
  if (prompt !== undefined) log.add(resumed(prompt, reason));
}

async function release({ log, inbox }: CutRun, options: ReleaseOptions): Promise<void> {
  await log.commit({ acknowledge: [...inbox.handled], release: options });
}
