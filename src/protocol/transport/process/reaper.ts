import type { ChildProcess } from 'node:child_process';
import { clock, type Timer, unref } from '../../base/clock.js';
import { LIMITS } from '../../base/limits.js';

/** The file that makes a directory ours. Its first line is the id of the host that created the directory. */
export const OWNER_FILE = '.tenon-owner';

/**
 * A shell that briefly outlives the host. It holds the read end of a pipe whose write end only the host has;
 * when the host ends, for whatever reason, the shell ends what is still on its list:
 *
 * - `group 123`: a process group;
 * - `mark <id>`: every process that has the id in its environment (Linux only), which finds a process that
 *   was just being started, and those that have left the group;
 * - `directory /tmp/tenon-x`: removed if it is signed by this host, or empty.
 *
 * With nothing to watch it lingers for a moment before it exits, so that consecutive queries share one shell.
 * Where there is no `sh` (Windows, some containers) it does nothing, and an agent exits by itself when its
 * input closes.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
set -f
IFS='
'
owner=$1
list=
# Not echo: some shells make a line break of a backslash and an n.
without() { for each in $list; do [ "$each" = "$1" ] || printf '%s\\n' "$each"; done; }
of() { for each in $list; do case $each in "$1 "*) printf '%s\\n' "\${each#* }" ;; esac; done; }
while read -r line; do
  case $line in
    +*) list="$list$IFS\${line#+}" ;;
    -*) list=$(without "\${line#-}") ;;
  esac
done
[ -n "$list" ] || exit 0
marked() {
  [ -n "$marks" ] || return
  set +f
  grep -lsF -e "$marks" /proc/[0-9]*/environ
  set -f
}
end() {
  for each in $(of group); do kill "-$1" "-$each"; done
  for each in $(marked); do each=\${each#/proc/}; kill "-$1" "\${each%/environ}"; done
}
erase() {
  case $1 in */tenon-*) ;; *) return ;; esac
  first=
  read -r first < "$1/${OWNER_FILE}"
  if [ "$first" = "$owner" ]; then rm -rf -- "$1"; return; fi
  # The host died before it had signed it: there is nothing in it yet.
  [ -s "$1/${OWNER_FILE}" ] || rm -f -- "$1/${OWNER_FILE}"
  rmdir -- "$1"
}
exec 2>/dev/null
marks=$(of mark)
end TERM
sleep 1
end KILL
for each in $(of directory); do erase "$each"; done
`;

type Kind = 'group' | 'mark' | 'directory';

export class Reaper {
  /** Identifies this host in the directories that it creates. */
  readonly owner: string = clock.uuid();
  readonly #list = new Set<string>();
  #shell: ChildProcess | undefined;
  #closeTimer: Timer | undefined;

  /**
   * From the moment this returns the shell knows of it, whatever happens to the host: what fits into a pipe
   * is written at once.
   */
  add(kind: Kind, what: number | string): void {
    const entry = `${kind} ${what}`;
    if (process.platform === 'win32' || entry.includes('\n')) return;
    this.#list.add(entry);
    if (this.isRunning) this.#send('+', entry);
    else this.#open();
  }

  /** Whether the shell will take care of it if the host dies. */
  watches(kind: Kind, what: number | string): boolean {
    return this.#list.has(`${kind} ${what}`) && this.isRunning;
  }

  remove(kind: Kind, what: number | string): void {
    const entry = `${kind} ${what}`;
    if (!this.#list.delete(entry)) return;
    this.#send('-', entry);
    if (this.#list.size > 0) return;
    clock.clearTimeout(this.#closeTimer);
    this.#closeTimer = unref(clock.setTimeout(() => this.#close(), LIMITS.reaperLingerMs));
  }

  #close(): void {
    if (this.#list.size > 0) return;
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
    const shell = process
      .getBuiltinModule('node:child_process')
      .spawn('/bin/sh', ['-c', SCRIPT, 'sh', this.owner], {
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
    for (const entry of this.#list) this.#send('+', entry);
  }

  #send(change: '+' | '-', entry: string): void {
    const stdin = this.#shell?.stdin;
    if (stdin?.writable) stdin.write(`${change}${entry}\n`);
  }
}
