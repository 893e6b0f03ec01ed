import type { ChildProcess } from 'node:child_process';
import { clock, unref } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { Escalation } from '../../protocol/transport/process/escalation.js';
import type { ProcessGroup } from '../../protocol/transport/process/process-group.js';

/** Ends a command and everything that it has started, kindly first. Resolves when nothing is left of it. */
export async function endCommand(child: ChildProcess, group: ProcessGroup | undefined): Promise<void> {
  await ended(child, group);
  await group?.endOrphans();
  await group?.endStrays();
}

function ended(child: ChildProcess, group: ProcessGroup | undefined): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve();
  return new Promise((resolve) => {
    const escalation = new Escalation({
      graceMs: 0,
      endInput: () => {},
      signal: (signal) => void (group === undefined ? child.kill(signal) : group.signal(signal)),
      giveUp: resolve,
    });
    child.once('exit', () => {
      escalation.cancel();
      resolve();
    });
    escalation.begin(0);
  });
}

/**
 * The shell has exited. What it has left running on purpose stays, but not longer than the host: it is looked after
 * until nothing is left of it.
 */
export async function leaveCommand(group: ProcessGroup | undefined): Promise<void> {
  if (group === undefined) return;
  if (await group.isEmpty()) group.forget();
  else unref(clock.setTimeout(() => void leaveCommand(group), LIMITS.leftRunningPollMs));
}
