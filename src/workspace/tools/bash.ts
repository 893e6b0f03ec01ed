import { clock, type Timer } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { BashInput } from '../../protocol/wire/tools/commands.js';
import type { Task } from '../../runtime/tasks/task.js';
import type { BuiltInContext } from '../../runtime/tools/built-ins.js';
import type { RuntimeTool, ToolCall, ToolOutcome } from '../../runtime/tools/tool-port.js';
import type { CommandEnd } from '../workspace.js';
import { bashSchema, type CommandLimits, commandLimits, readBashInput, waitOf } from './bash-input.js';
import {
  backgroundResult,
  type CommandFacts,
  endedResult,
  exitCode,
  failedResult,
  shownOutput,
} from './bash-result.js';
import { meantInput } from './checked-input.js';
import { leadingSleep } from './command-words.js';
import { ShellCommand } from './shell-command.js';
import type { ShellSession } from './shell-session.js';

const DESCRIPTION =
  'Runs a command line with bash and returns what it prints, stdout and stderr together. Each call is a shell of its ' +
  'own: the directory is kept from one call to the next if the command succeeds, variables are not. There is no input ' +
  'and nobody who could answer a prompt. Quote paths with blanks. An output that is too long is put into a file, ' +
  'which you can read. A command that takes longer than its timeout goes on in the background.';

/** The tool for commands. */
export function bashTool(context: BuiltInContext, shell: ShellSession): RuntimeTool {
  const limits = commandLimits(context.env);
  return {
    name: 'Bash',
    description: DESCRIPTION,
    inputSchema: bashSchema(limits),
    shown: shownOutput,
    asMeant: (input) => meantInput('Bash', bashSchema(limits), input),
    prepare: async (given) => {
      const input = readBashInput(limits, given);
      const { command } = input;
      const offersRead = context.offers('Read');
      const access = { kind: 'command' as const, command, cwd: await shell.cwd(), offersRead };
      return { access, input: { ...input } };
    },
    run: async (call) => {
      const input = readBashInput(limits, call.input);
      const cwd = call.access?.kind === 'command' ? call.access.cwd : await shell.cwd();
      const { toolUseId } = call;
      const command = new ShellCommand(context, {
        input,
        toolUseId,
        cwd,
        limits,
        places: await context.places(),
      });
      if (input.run_in_background === true) return inBackground(command, input);
      return new WaitingCall(command, input, shell, limits).run(call);
    },
  };
}

async function inBackground(command: ShellCommand, input: BashInput): Promise<ToolOutcome> {
  const told = toldOf(command, await command.goOn());
  const facts = { command: input.command, output: command.output, savedAt: undefined };
  return backgroundResult(
    facts,
    // What it has printed already is for whoever reads its file: how much that is would be chance.
    { stdout: '', isImage: false, backgroundTaskId: command.id },
    `The command runs in the background. ${told}`,
  );
}

function toldOf({ id }: ShellCommand, { path, problem }: { path?: string; problem?: string }): string {
  const where =
    path === undefined ? `Its output cannot be kept: ${problem}` : `Its output is written to ${path}`;
  return `Its ID: ${id}. ${where}\nYou are told when it has ended; TaskStop ends it.`;
}

/** A call that waits for its command, but not for ever. */
class WaitingCall {
  readonly #command: ShellCommand;
  readonly #input: BashInput;
  readonly #shell: ShellSession;
  readonly #waitMs: number;
  readonly #hasBackground: boolean;
  #task: Task | undefined;

  constructor(command: ShellCommand, input: BashInput, shell: ShellSession, limits: CommandLimits) {
    this.#command = command;
    this.#input = input;
    this.#shell = shell;
    this.#waitMs = waitOf(input, limits);
    this.#hasBackground = limits.hasBackground;
  }

  async run({ signal }: ToolCall): Promise<ToolOutcome> {
    const command = this.#command;
    const kill = (): void => void command.kill();
    const isOver = this.#shell.waitsFor(() => command.kill());
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    try {
      const event = await this.#first();
      if (event === 'moved')
        return await this.#goOn({ backgroundedByUser: true }, 'The user has moved it to the background.');
      if (event === 'late') return await this.#late();
      return await this.#ended(event, signal);
    } finally {
      signal.removeEventListener('abort', kill);
      isOver();
    }
  }

  /** Its end, or why it is not waited for. */
  async #first(): Promise<CommandEnd | 'late' | 'moved'> {
    let move = (): void => {};
    const moved = new Promise<'moved'>((resolve) => {
      move = () => resolve('moved');
    });
    const announcement = clock.setTimeout(() => {
      if (this.#hasBackground) this.#task = this.#command.announce(move);
    }, LIMITS.commandTaskMs);
    let late: Timer | undefined;
    const isLate = new Promise<'late'>((resolve) => {
      late = clock.setTimeout(() => resolve('late'), this.#waitMs);
    });
    try {
      return await Promise.race([this.#command.ended, isLate, moved]);
    } finally {
      clock.clearTimeout(announcement);
      clock.clearTimeout(late);
    }
  }

  async #late(): Promise<ToolOutcome> {
    const waited = `${Math.round(this.#waitMs / 100) / 10}s`;
    // One that waits has nothing to show for it in the background either.
    if (this.#hasBackground && leadingSleep(this.#input.command) === undefined) {
      const why = `It did not end within ${waited}, and goes on in the background: do not start it again.`;
      return this.#goOn({ timedOutAfterMs: this.#waitMs }, why);
    }
    await this.#command.kill();
    this.#task?.end({ status: 'stopped', summary: this.#command.description });
    return failedResult(await this.#facts(), 143, `Timed out after ${waited}: the command was ended.`);
  }

  async #goOn(
    more: { timedOutAfterMs?: number; backgroundedByUser?: true },
    why: string,
  ): Promise<ToolOutcome> {
    const told = toldOf(this.#command, await this.#command.goOn(this.#task));
    const facts = { command: this.#input.command, output: this.#command.output, savedAt: undefined };
    return backgroundResult(facts, { backgroundTaskId: this.#command.id, ...more }, `${why} ${told}`);
  }

  async #ended(end: CommandEnd, signal: AbortSignal): Promise<ToolOutcome> {
    const isDone = exitCode(end) === 0;
    const status = signal.aborted ? 'stopped' : isDone ? 'completed' : 'failed';
    this.#task?.end({ status, summary: this.#command.description });
    // As in the CLI: a command that fails halfway leaves the shell where it was.
    const note =
      status === 'completed' && end.cwd !== undefined ? await this.#shell.moved(end.cwd) : undefined;
    const facts = await this.#facts();
    return endedResult({ ...facts, note: note ?? facts.note }, end);
  }

  async #facts(): Promise<CommandFacts> {
    const { output } = this.#command;
    const { path, problem } = output.isCut ? await this.#command.saved() : {};
    const facts = { command: this.#input.command, output, savedAt: path };
    return problem === undefined
      ? facts
      : { ...facts, note: `The whole output could not be kept: ${problem}` };
  }
}
