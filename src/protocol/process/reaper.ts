import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { LIMITS } from '../limits.js';

/**
 * A shell that outlives the host by a moment. It holds the read end of a pipe whose
 * write end only the host has; when the host is gone, however it went, it ends the process groups that are still
 * on its list, and removes the directories. It leaves when there have been none for a moment: one query after another
 * would start one each time. Where there is no `sh` (Windows, some containers) it does
 * nothing, and an agent ends by itself when its input closes.
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
  #leaving: NodeJS.Timeout | undefined;

  add(group: number): void {
    if (process.platform === 'win32') return;
    this.#groups.add(group);
    if (this.isRunning) this.#tell('add', group);
    else this.#open();
  }

  /** True when the group's end is in good hands, whatever becomes of the host. */
  watches(group: number): boolean {
    return this.#groups.has(group) && this.isRunning;
  }

  remove(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#tell('remove', group);
    this.#closeUnlessNeeded();
  }

  /** A directory that must not outlive the host. */
  addDirectory(path: string): void {
    if (process.platform === 'win32' || path.includes('\n')) return;
    this.#directories.add(path);
    if (this.isRunning) this.#tell('keep', path);
    else this.#open();
  }

  removeDirectory(path: string): void {
    if (!this.#directories.delete(path)) return;
    this.#tell('drop', path);
    this.#closeUnlessNeeded();
  }

  #closeUnlessNeeded(): void {
    if (this.#groups.size > 0 || this.#directories.size > 0) return;
    clearTimeout(this.#leaving);
    this.#leaving = setTimeout(() => this.#close(), LIMITS.reaperLingerMs).unref();
  }

  #close(): void {
    if (this.#groups.size > 0 || this.#directories.size > 0) return;
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  /** Somebody else may have ended it. */
  get isRunning(): boolean {
    const { pid, exitCode, signalCode } = this.#shell ?? {};
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** Starts it and tells it of everything there is. */
  #open(): void {
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // A group of its own: Ctrl-C in a terminal goes to the host's group and must not end the reaper first.
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
    for (const group of this.#groups) this.#tell('add', group);
    for (const directory of this.#directories) this.#tell('keep', directory);
  }

  #tell(verb: 'add' | 'remove' | 'keep' | 'drop', what: number | string): void {
    const stdin = this.#shell?.stdin;
    if (stdin?.writable) stdin.write(`${verb} ${what}\n`);
  }
}
