export interface Cage {
  readonly root: string;
  readonly cwd: string;
  readonly writable: readonly string[];
  readonly network: boolean;
}

/**
 * Everything is there to be read, nothing but the root and `writable` to be written. Directories in which sockets of
 * other programs live are empty: a socket leads out, whatever network there is. The later ones cover the earlier ones.
 */
export function bubblewrapArguments({ root, cwd, writable, network }: Cage): string[] {
  return [
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev'],
    ...['--proc', '/proc'],
    ...['--tmpfs', '/tmp'],
    ...['--tmpfs', '/var/tmp'],
    ...['--tmpfs', '/run'],
    // Where names of hosts are looked up, on systems that keep that there.
    ...(network ? ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] : ['--unshare-net']),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...['--bind', root, root],
    '--die-with-parent',
    ...['--chdir', cwd],
    '--',
  ];
}
