import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { BashInput } from '../../protocol/wire/tools/commands.js';
import type { Task, TaskEnd, TaskStart } from '../../runtime/tasks/task.js';
import { taskNotice } from '../../runtime/tasks/task-notice.js';
import type { AgentPlaces, BuiltInContext } from '../../runtime/tools/built-ins.js';
import type { CommandEnd, RunningCommand, Workspace } from '../workspace.js';
import { backgroundLimitOf, type CommandLimits } from './bash-input.js';
import { exitCode } from './bash-result.js';
import { CommandOutput } from './command-output.js';
import { OutputFile } from './output-file.js';

export interface CommandStart {
  readonly input: BashInput;
  readonly toolUseId: string;
  readonly cwd: string;
  readonly places: AgentPlaces;
  readonly limits: CommandLimits;
}

/** One command from its start to its end, wherever that is waited for. */
export class ShellCommand {
  readonly id = newTaskId();
  readonly output: CommandOutput;
  readonly ended: Promise<CommandEnd>;
  readonly #context: BuiltInContext;
  readonly #start: CommandStart;
  readonly #running: RunningCommand;
  #file = '';
  #isInBackground = false;
  #isStopped = false;

  constructor(context: BuiltInContext, start: CommandStart) {
    this.#context = context;
    this.#start = start;
    const { input, cwd, limits } = start;
    this.output = new CommandOutput(limits.outputBytes, () => this.#openFile());
    this.#running = shellOf(context.workspace)(input.command, {
      cwd,
      env: commandEnvironment(context),
      onOutput: (chunk) => this.output.add(chunk),
    });
    this.ended = this.#running.ended;
    // Who ends a command need not look at how it ended.
    this.ended.catch(() => {});
  }

  /** How people call it. */
  get description(): string {
    return this.#start.input.description ?? this.#start.input.command;
  }

  kill(): Promise<void> {
    return this.#running.kill();
  }

  /** The path of the file that has the whole output; undefined and why not, if that could not be written. */
  async saved(): Promise<{ path?: string; problem?: string }> {
    try {
      await this.output.saved();
      return { path: this.#file };
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  /** Tells the host of it. `onBackgrounded` is called if the host moves it to the background. */
  announce(onBackgrounded: () => void): Task {
    return this.#context.tasks.start(this.#taskStart(false, onBackgrounded));
  }

  /** Nobody waits for it any more. Resolves when its output can be read. */
  async goOn(task?: Task): Promise<{ path?: string; problem?: string }> {
    this.#isInBackground = true;
    const saved = await this.saved();
    task?.sendToBackground();
    const board = task ?? this.#context.tasks.start(this.#taskStart(true));
    this.#watch(board);
    return saved;
  }

  #taskStart(isBackgrounded: boolean, onBackgrounded: () => void = () => {}): TaskStart {
    const file = (): string => this.#file;
    return {
      id: this.id,
      type: 'local_bash',
      command: this.#start.input.command,
      fields: { tool_use_id: this.#start.toolUseId, description: this.description },
      isBackgrounded,
      get outputFile() {
        return file();
      },
      onBackgrounded,
      output: () => this.output.end,
      stop: () => this.#stop(),
    };
  }

  async #stop(): Promise<void> {
    this.#isStopped = true;
    await this.kill();
    if (!this.#isInBackground) return;
    void this.output.add(new TextEncoder().encode('\n[killed]\n'));
    await this.saved();
  }

  /** Until it has ended, or has run for too long. */
  #watch(task: Task): void {
    const end = async (end: Pick<TaskEnd, 'status' | 'summary'>): Promise<void> => {
      await this.saved();
      task.end({ ...end, tells: taskNotice(task.start, end) });
    };
    const limitMs = backgroundLimitOf(this.#start.input);
    const timer = clock.setTimeout(() => {
      const summary = `The command "${this.description}" was stopped: it ran in the background for ${limitMs / 1000} s, its limit.`;
      void this.#stop().then(() => end({ status: 'stopped', summary }));
    }, limitMs);
    void this.ended
      .then(
        (how) => (this.#isStopped ? undefined : end(this.#endOf(how))),
        (error) => end({ status: 'failed', summary: messageOf(error) }),
      )
      .finally(() => clock.clearTimeout(timer));
  }

  #endOf(end: CommandEnd): Pick<TaskEnd, 'status' | 'summary'> {
    const code = exitCode(end);
    return {
      status: code === 0 ? 'completed' : 'failed',
      summary: `The command "${this.description}" in the background has ended with exit code ${code}.`,
    };
  }

  #openFile(): OutputFile {
    const { toolResults, tasks } = this.#start.places;
    this.#file = this.#isInBackground ? `${tasks}/${this.id}.output` : `${toolResults}/${this.id}.txt`;
    return new OutputFile(this.#context.workspace, this.#file);
  }
}

function shellOf(workspace: Workspace): NonNullable<Workspace['exec']> {
  if (workspace.exec === undefined) throw new Error('The workspace runs no commands.');
  return workspace.exec.bind(workspace);
}

function commandEnvironment({ env, sessionId }: BuiltInContext): Record<string, string | undefined> {
  return {
    ...env,
    CLAUDECODE: '1',
    CLAUDE_CODE_SESSION_ID: sessionId,
    // Nobody is there to write a message in an editor.
    GIT_EDITOR: 'true',
  };
}

function newTaskId(): string {
  const digit = (): string => Math.floor(clock.random() * 36).toString(36);
  return `b${Array.from({ length: 8 }, digit).join('')}`;
}
