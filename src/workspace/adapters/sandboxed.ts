import { OptionError } from '../../protocol/base/errors.js';
import { bubblewrapArguments } from './bubblewrap.js';
import { probeIsolation } from './isolation-probe.js';
import { cannotIsolate } from './sandbox-errors.js';
import { defaultShell, findProgram, type Shell } from './shell.js';

export interface SandboxOptions {
  /** Whether commands may use the network. Default: false. */
  network?: boolean | undefined;
  /** Directories besides the root that commands may write to. Default: none. */
  writable?: readonly string[] | undefined;
  /** The program that isolates: bubblewrap. Default: `bwrap` on the PATH. */
  bubblewrap?: string | undefined;
}

export interface SandboxedShell extends Shell {
  /**
   * Resolves if commands can be isolated on this machine; otherwise rejects with `CANNOT_ISOLATE`, as every command
   * would. Tried once.
   */
  verify(): Promise<void>;
}

/**
 * A shell for `localWorkspace(root, { shell: sandboxed() })` whose commands can write nothing but the root and what
 * `writable` names, see no process outside, and reach no network unless `network` is true. They can read what this user
 * can read, except in the directories for temporary files and sockets, which are empty for them.
 *
 * Before the first command it is tried whether all that holds here. If not, no command runs.
 */
export function sandboxed(options: SandboxOptions = {}): SandboxedShell {
  for (const path of options.writable ?? []) {
    if (path.startsWith('/')) continue;
    throw new OptionError(
      'writable',
      path,
      `sandboxed({ writable }) needs absolute paths; "${path}" is none.`,
    );
  }
  let probed: Promise<string> | undefined;
  const program = (): Promise<string> => {
    probed ??= findIsolation(options);
    return probed;
  };
  return {
    verify: async () => void (await program()),
    commandLine: async (script, args, { root, cwd, env }) => [
      await program(),
      ...bubblewrapArguments({
        root,
        cwd,
        writable: options.writable ?? [],
        network: options.network ?? false,
      }),
      defaultShell(env),
      '-c',
      script,
      'bash',
      ...args,
    ],
  };
}

async function findIsolation({ bubblewrap, network = false }: SandboxOptions): Promise<string> {
  if (process.platform !== 'linux') {
    throw cannotIsolate(`bubblewrap needs Linux, and this is ${process.platform}`);
  }
  const program = bubblewrap ?? findProgram('bwrap', process.env);
  if (program === undefined) throw cannotIsolate('the program "bwrap" is not on the PATH');
  const failure = await probeIsolation(program, network);
  if (failure !== undefined) throw cannotIsolate(`"${program}" was tried, and ${failure}`);
  return program;
}
