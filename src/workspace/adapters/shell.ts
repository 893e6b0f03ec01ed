import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What runs the commands of a workspace on this machine. */
export interface Shell {
  /**
   * The program and its arguments that run `script` with `args`, in a directory. Asked before each command; the caller
   * waits. Rejects if the command cannot be run as this shell promises.
   */
  commandLine(script: string, args: readonly string[], place: ShellPlace): Promise<readonly string[]>;
}

export interface ShellPlace {
  /** The root of the workspace. */
  readonly root: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A shell without any bounds; `bash` or `sh` unless named. */
export function plainShell(program?: string): Shell {
  return {
    commandLine: async (script, args, { env }) => [
      program ?? defaultShell(env),
      '-c',
      script,
      // The name by which it speaks of itself.
      'bash',
      ...args,
    ],
  };
}

/** Models write for bash. A minimal container may have no more than sh. */
export function defaultShell(env: ShellPlace['env']): string {
  return findProgram('bash', env) ?? 'sh';
}

/** A program on the PATH. */
export function findProgram(name: string, env: ShellPlace['env']): string | undefined {
  const names = process.platform === 'win32' ? [`${name}.exe`, name] : [name];
  const directories = (env.PATH ?? process.env.PATH ?? '').split(delimiter).filter((each) => each !== '');
  return directories
    .flatMap((directory) => names.map((each) => join(directory, each)))
    .find((path) => isExecutable(path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
