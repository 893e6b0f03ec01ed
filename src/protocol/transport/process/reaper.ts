import type { ChildProcess } from 'node:child_process';
import { clock, type Timer, unref } from '../../base/clock.js';
import { LIMITS } from '../../base/limits.js';

/**
 * A shell that briefly outlives the host. It holds the read end of a pipe whose write end only the host has;
 * when the host ends, for whatever reason, the shell ends the process groups still on its list and removes
 * the directories. With nothing to watch it lingers for a moment before it exits, so that consecutive queries
 * share one shell. Where there is no `sh` (Windows, some containers) it does nothing, and an agent exits by
 * itself when its input closes.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
set -f
IFS='
'
groups=
directories=
without() { for each in $1; do [ "$each" = "$2" ] || echo "$each"; done; }
while read -r line; do
  verb=\${line%% *}
  what=\${line#* }
  case $verb in
    add) groups="$groups$IFS$what" ;;
    remove) groups=$(without "$groups" "$what") ;;
    keep) directories="$directories$IFS$what" ;;
    drop) directories=$(without "$directories" "$what") ;;
  esac
done
[ -n "$groups$directories" ] || exit 0
for each in $groups; do kill -TERM "-$each"; done 2>/dev/null
sleep 1
for each in $groups; do kill -KILL "-$each"; done 2>/dev/null
for each in $directories; do rm -rf -- "$each"; done 2>/dev/null
`;

export class Reaper {
  readonly #groups = new Set<number>();
  readonly #directories = new Set<string>();
  #shell: ChildProcess | undefined;
  #closeTimer: Timer | undefined;

  add(group: number): void {
    if (process.platform === 'win32') return;
    this.#groups.add(group);
    if (this.isRunning) this.#send('add', group);
    else this.#open();
  }

  /** Whether the shell will end the group if the host dies. */
  watches(group: number): boolean {
    return this.#groups.has(group) && this.isRunning;
  }

  remove(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#send('remove', group);
    this.#closeUnlessNeeded();
  }

  /** A directory that must not outlive the host. */
  addDirectory(path: string): void {
    if (process.platform === 'win32' || path.includes('\n')) return;
    this.#directories.add(path);
    if (this.isRunning) this.#send('keep', path);
    else this.#open();
  }

  removeDirectory(path: string): void {
    if (!this.#directories.delete(path)) return;
    this.#send('drop', path);
    this.#closeUnlessNeeded();
  }

  #closeUnlessNeeded(): void {
    if (this.#groups.size > 0 || this.#directories.size > 0) return;
    clock.clearTimeout(this.#closeTimer);
    this.#closeTimer = unref(clock.setTimeout(() => this.#close(), LIMITS.reaperLingerMs));
  }

  #close(): void {
    if (this.#groups.size > 0 || this.#directories.size > 0) return;
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  /** Checked each time: another process may have killed the shell. */
  get isRunning(): boolean {
    const { pid, exitCode, signalCode } = this.#shell ?? {};
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** Starts the shell and sends it everything to watch. */
  #open(): void {
    const shell = process.getBuiltinModule('node:child_process').spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // In its own group: Ctrl-C in a terminal goes to the host's group and must not end the reaper first.
      detached: true,
      cwd: '/',
      env: {},
    });
    shell.on('error', () => {});
    shell.stdin?.on('error', () => {});
    shell.unref();
    // A pipe is a socket underneath; the type of `stdin` does not say that it can be unreferenced.
    (shell.stdin as { unref?: () => void } | null)?.unref?.();
    this.#shell = shell;
    for (const group of this.#groups) this.#send('add', group);
    for (const directory of this.#directories) this.#send('keep', directory);
  }

  #send(verb: 'add' | 'remove' | 'keep' | 'drop', what: number | string): void {
    const stdin = this.#shell?.stdin;
    if (stdin?.writable) stdin.write(`${verb} ${what}\n`);
  }
}
