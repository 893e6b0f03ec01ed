import { LIMITS } from '../limits.js';
import { Reaper } from './reaper.js';

/**
 * The process groups that are ours to end. One set and one `exit` listener for the whole host, however many
 * conversations there are; the reaper takes over where no JavaScript runs any more.
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
  // Not now: to start a second process takes 2 ms, and there are first words to be said and heard.
  if (reaper.isRunning) setImmediate(entrust);
  else setTimeout(entrust, LIMITS.reaperStartMs).unref();
}

export function forget(group: number): void {
  groups.delete(group);
  reaper.remove(group);
}

const directories = new Set<string>();

/** A directory that goes when the host goes, however that happens. */
export function watchDirectory(path: string): void {
  directories.add(path);
  setImmediate(() => {
    if (directories.has(path)) reaper.addDirectory(path);
  });
}

export function forgetDirectory(path: string): void {
  directories.delete(path);
  reaper.removeDirectory(path);
}

/** True when there was a process to get it. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

/** After the leader has exited: whatever it left in its group goes too. Nearly always there is nothing. */
export async function endOrphans(group: number): Promise<void> {
  if (!signalGroup(group, 'SIGTERM') || (await isGone(group, LIMITS.orphanGraceMs))) return;
  // SIGKILL needs only a moment, but whoever is told that all is over must not find somebody there.
  if (signalGroup(group, 'SIGKILL')) await isGone(group, LIMITS.orphanKillMs);
}

async function isGone(group: number, withinMs: number): Promise<boolean> {
  for (let waited = 0; waited < withinMs; waited += 20) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (!signalGroup(group, 0)) return true;
  }
  return false;
}

/**
 * The host exits. An agent that may still react ends the commands that it runs, which have groups of their own;
 * the reaper then kills what is left. Without a reaper nobody could, so it is done here.
 */
function endAll(): void {
  for (const group of groups) signalGroup(group, reaper.watches(group) ? 'SIGTERM' : 'SIGKILL');
}
