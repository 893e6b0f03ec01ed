import { TenonError } from '../../protocol/base/errors.js';

export function cannotIsolate(why: string): TenonError {
  return new TenonError(
    'CANNOT_ISOLATE',
    `Commands cannot be isolated on this machine: ${why}. No command was run. Install bubblewrap (Debian: ` +
      'apt-get install bubblewrap) and allow unprivileged user namespaces, or run the whole program in a container or ' +
      'virtual machine and leave `shell: sandboxed()` out.',
  );
}
