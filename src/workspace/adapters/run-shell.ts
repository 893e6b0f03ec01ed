import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { type ProcessGroup, startInGroup } from '../../protocol/transport/process/process-group.js';
import type { CommandEnd, ExecOptions, RunningCommand } from '../workspace.js';
import { endCommand, leaveCommand } from './end-command.js';
import type { HeldDirectory } from './files.js';
import { Output } from './output.js';
import type { Shell } from './shell.js';

/**
 * Tells on descriptor 3, which the command does not see, in which directory it ends; also when it leaves with `exit`,
 * or has a trap of its own. Both streams are one, so that the order of what is written is kept.
 */
const SCRIPT = `exec 2>&1
tell() { printf '%s\\0' "$(pwd -P)" >&3; }
trap tell EXIT
eval " $1" 3>&-
set -- $?
tell
exit $1`;

export interface CommandPlace {
  readonly shell: Shell;
  readonly root: string;
  /** Keeps the directory of the command from being exchanged before the command is in it. */
  hold(): Promise<HeldDirectory>;
}

/** Starts a command with empty input, in a process group of its own. */
export function startCommand(place: CommandPlace, command: string, options: ExecOptions): RunningCommand {
  const running = new ShellCommand(options);
  return {
    ended: running.run(place, command),
    kill: () => running.kill(),
  };
}

class ShellCommand {
  readonly #options: ExecOptions;
  #child: ChildProcess | undefined;
  #group: ProcessGroup | undefined;
  #ended: Promise<CommandEnd> | undefined;
  #wasKilled = false;

  constructor(options: ExecOptions) {
    this.#options = options;
  }

  run(place: CommandPlace, command: string): Promise<CommandEnd> {
    this.#ended = this.#run(place, command);
    // Who kills a command need not look at how it ended.
    this.#ended.catch(() => {});
    return this.#ended;
  }

  async kill(): Promise<void> {
    this.#wasKilled = true;
    if (this.#child !== undefined) await endCommand(this.#child, this.#group);
    await this.#ended?.catch(() => {});
  }

  async #run({ shell, root, hold }: CommandPlace, command: string): Promise<CommandEnd> {
    const { cwd, env } = this.#options;
    const [program = '', ...args] = await shell.commandLine(SCRIPT, [command], { root, cwd, env });
    const directory = await hold();
    try {
      if (this.#wasKilled) return { code: null, signal: 'SIGTERM' };
      const child = this.#start(program, args, directory.path);
      return await this.#end(child, program);
    } finally {
      await directory.release();
    }
  }

  #start(program: string, args: readonly string[], cwd: string): ChildProcess {
    const { spawn } = process.getBuiltinModule('node:child_process');
    const env = { ...this.#options.env, PWD: this.#options.cwd };
    const { child, group } = startInGroup(env, (options) =>
      spawn(program, args, {
        ...options,
        cwd,
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        windowsHide: true,
      }),
    );
    this.#child = child;
    this.#group = group;
    return child;
  }

  async #end(child: ChildProcess, program: string): Promise<CommandEnd> {
    const told = textOf(child.stdio[3] as Readable);
    // The second stream is used only by a shell that did not get as far as joining them.
    const output = new Output([child.stdout, child.stderr], this.#options.onOutput);
    try {
      const { code, signal } = await exitOf(child, program);
      await output.drained();
      const cwd = told().split('\0').at(-2);
      return { code, signal, ...(cwd === undefined || cwd === '' ? {} : { cwd }) };
    } finally {
      output.drop();
      void leaveCommand(this.#group);
    }
  }
}

function exitOf(child: ChildProcess, program: string): Promise<Pick<CommandEnd, 'code' | 'signal'>> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => {
      // Also emitted when a signal could not be sent.
      if (child.pid === undefined) reject(notStarted(error, program));
    });
  });
}

function notStarted(error: Error, program: string): TenonError {
  return new TenonError(
    'SPAWN_FAILED',
    `The shell "${program}" could not be started: ${messageOf(error)}. Install it, or name another one: localWorkspace(root, { shell }).`,
    { cause: error },
  );
}

function textOf(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('error', () => {});
  stream.on('data', (chunk: string) => {
    // Only the directory is expected here.
    text = (text + chunk).slice(-64 * 1024);
  });
  (stream as { unref?: () => void }).unref?.();
  return () => text;
}
