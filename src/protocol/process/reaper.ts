import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';

/**
 * A shell that outlives the host by a moment. It holds the read end of a pipe whose
 * write end only the host has; when the host is gone, however it went, it ends the process groups that are still
 * on its list. It exists only while there are any. Where there is no `sh` (Windows, some containers) it does
 * nothing, and an agent ends by itself when its input closes.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
groups=
while read -r verb group; do
  kept=
  for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done
  groups=$kept
  [ "$verb" = add ] && groups="$groups $group"
done
[ -n "$groups" ] || exit 0
for each in $groups; do kill -TERM "-$each"; done 2>/dev/null
sleep 1
for each in $groups; do kill -KILL "-$each"; done 2>/dev/null
`;

export class Reaper {
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;

  add(group: number): void {
    if (process.platform === 'win32') return;
    this.#groups.add(group);
    this.#shell ??= this.#open();
    this.#tell('add', group);
  }

  /** True when the group's end is in good hands, whatever becomes of the host. */
  watches(group: number): boolean {
    const { pid, exitCode, signalCode } = this.#shell ?? {};
    return this.#groups.has(group) && pid !== undefined && exitCode === null && signalCode === null;
  }

  remove(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#tell('remove', group);
    if (this.#groups.size > 0) return;
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #open(): ChildProcess {
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
    return shell;
  }

  #tell(verb: 'add' | 'remove', group: number): void {
    const stdin = this.#shell?.stdin;
    if (stdin?.writable) stdin.write(`${verb} ${group}\n`);
  }
}
