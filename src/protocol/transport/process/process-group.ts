import { clock, unref, wait } from '../../base/clock.js';
import { LIMITS } from '../../base/limits.js';
import { Reaper } from './reaper.js';

/**
 * The process groups that we have to end. There is one set and one `exit` listener for the whole host,
 * however many conversations there are; the reaper takes over when JavaScript no longer runs.
 */
const groups = new Set<number>();
const reaper = new Reaper();
let listening = false;

export function watch(group: number): void {
  groups.add(group);
  if (!listening) {
    listening = true;
    process.on('exit', endAll);
  }
  const entrust = (): void => {
    if (groups.has(group)) reaper.add(group);
  };
  // Deferred: starting a second process would delay the first exchange with the agent.
  if (reaper.isRunning) clock.setImmediate(entrust);
  else unref(clock.setTimeout(entrust, LIMITS.reaperStartMs));
}

export function forget(group: number): void {
  groups.delete(group);
  reaper.remove(group);
}

const directories = new Set<string>();

/** A directory to remove when the host ends, however that happens. */
export function watchDirectory(path: string): void {
  directories.add(path);
  clock.setImmediate(() => {
    if (directories.has(path)) reaper.addDirectory(path);
  });
}

export function forgetDirectory(path: string): void {
  directories.delete(path);
  reaper.removeDirectory(path);
}

/** True if a process received the signal. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

/** After the leader has exited: ends whatever is left in its group. There is hardly ever anything. */
export async function endOrphans(group: number): Promise<void> {
  if (!signalGroup(group, 'SIGTERM') || (await isGone(group, LIMITS.orphanGraceMs))) return;
  // SIGKILL takes a moment, and nothing may be left running when the end is reported.
  if (signalGroup(group, 'SIGKILL')) await isGone(group, LIMITS.orphanKillMs);
}

async function isGone(group: number, withinMs: number): Promise<boolean> {
  for (let waited = 0; waited < withinMs; waited += 20) {
    await wait(20);
    if (!signalGroup(group, 0)) return true;
  }
  return false;
}

/**
 * The host is exiting. SIGTERM lets an agent end the commands it runs, which have process groups of their
 * own; the reaper then kills what is left. Without a reaper, only SIGKILL now is certain.
 */
function endAll(): void {
  for (const group of groups) signalGroup(group, reaper.watches(group) ? 'SIGTERM' : 'SIGKILL');
}
