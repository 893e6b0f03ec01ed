import { clock, wait } from '../../base/clock.js';
import { LIMITS } from '../../base/limits.js';
import { MARK, markedProcesses } from './marked-processes.js';
import { Reaper } from './reaper.js';

/**
 * What has to end with the host: one reaper and one `exit` listener for the whole host, however many
 * conversations there are. The reaper takes over when JavaScript no longer runs.
 */
export const reaper: Reaper = new Reaper();
const groups = new Set<ProcessGroup>();
let listening = false;

export interface StartOptions {
  env: NodeJS.ProcessEnv;
  detached: boolean;
}

/**
 * Starts a program in a process group of its own, so that it can be stopped together with everything that it
 * starts. The reaper knows of it before: a host killed in the middle of the start leaves nothing behind.
 */
export function startInGroup<Child extends { pid?: number | undefined }>(
  env: NodeJS.ProcessEnv,
  start: (options: StartOptions) => Child,
): { child: Child; group: ProcessGroup | undefined } {
  if (process.platform === 'win32') return { child: start({ env, detached: false }), group: undefined };
  const group = new ProcessGroup();
  let child: Child | undefined;
  try {
    child = start({ env: { ...env, [MARK]: group.mark }, detached: true });
    return { child, group: child.pid === undefined ? undefined : group };
  } finally {
    group.started(child?.pid);
  }
}

export class ProcessGroup {
  /** In the environment of its processes. Also with a simulated clock, no two hosts may share one. */
  readonly mark: string = `${process.pid}-${clock.uuid()}`;
  #id: number | undefined;

  constructor() {
    reaper.add('mark', this.mark);
    groups.add(this);
    if (listening) return;
    listening = true;
    process.on('exit', endAll);
  }

  /** With the id of the process; without one if it did not start. */
  started(pid: number | undefined): void {
    this.#id = pid;
    if (pid === undefined) this.forget();
    else reaper.add('group', pid);
  }

  /** True if a process received the signal. */
  signal(signal: NodeJS.Signals | 0): boolean {
    if (this.#id === undefined) return false;
    try {
      return process.kill(-this.#id, signal);
    } catch {
      return false;
    }
  }

  /** After the leader has exited: ends whatever is left in its group. There is hardly ever anything. */
  async endOrphans(): Promise<void> {
    if (!this.signal('SIGTERM') || (await isOver(() => !this.signal(0), LIMITS.orphanGraceMs))) return;
    // SIGKILL takes a moment, and nothing may be left running when the end is reported.
    if (this.signal('SIGKILL')) await isOver(() => !this.signal(0), LIMITS.orphanKillMs);
  }

  /** After that: ends what has left the group, such as a daemon, as far as the system lets us find it. */
  async endStrays(): Promise<void> {
    const strays = (): Promise<readonly number[]> => markedProcesses(this.mark);
    if (!signalAll(await strays(), 'SIGTERM')) return;
    const areGone = async (): Promise<boolean> => (await strays()).length === 0;
    if (await isOver(areGone, LIMITS.orphanGraceMs)) return;
    if (signalAll(await strays(), 'SIGKILL')) await isOver(areGone, LIMITS.orphanKillMs);
  }

  /** Whether nothing of it runs any more, in its group or elsewhere. */
  async isEmpty(): Promise<boolean> {
    return !this.signal(0) && (await markedProcesses(this.mark)).length === 0;
  }

  forget(): void {
    groups.delete(this);
    reaper.remove('mark', this.mark);
    if (this.#id !== undefined) reaper.remove('group', this.#id);
  }

  /**
   * The host is exiting. SIGTERM lets an agent end the commands it runs, which have process groups of their
   * own; the reaper then kills what is left. Without a reaper, only SIGKILL now is certain.
   */
  endWithHost(): void {
    const isWatched = this.#id !== undefined && reaper.watches('group', this.#id);
    this.signal(isWatched ? 'SIGTERM' : 'SIGKILL');
  }
}

function endAll(): void {
  for (const group of groups) group.endWithHost();
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): boolean {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has just ended.
    }
  }
  return pids.length > 0;
}

async function isOver(check: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  for (let waited = 0; waited < withinMs; waited += 20) {
    await wait(20);
    if (await check()) return true;
  }
  return false;
}
