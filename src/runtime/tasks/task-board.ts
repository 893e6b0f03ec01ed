import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { BackgroundTaskSummary } from '../../protocol/wire/hook-inputs.js';
import type { Lines } from '../conversation/lines.js';
import {
  BoardTask,
  type StoppedBy,
  type Task,
  type TaskEnd,
  type TaskNews,
  type TaskOutput,
  type TaskStart,
} from './task.js';

/** The tasks of a conversation: tells the host when they start and end, and the model when one in the background has. */
export class TaskBoard {
  readonly #lines: Lines;
  readonly #tell: (news: TaskNews) => void;
  readonly #running = new Map<string, BoardTask>();
  /** What the last tasks to end have written. */
  #outputs: Map<string, TaskOutput> | undefined;
  #waiting: (() => void)[] | undefined;

  constructor(lines: Lines, tell: (news: TaskNews) => void) {
    this.#lines = lines;
    this.#tell = tell;
  }

  /** Those in the background, oldest first. */
  get background(): readonly Task[] {
    return [...this.#running.values()].filter(({ isBackgrounded }) => isBackgrounded);
  }

  /** The same for hooks: those that a subagent has started, or all of them for the main agent. */
  summariesFor(agentId: string | undefined): BackgroundTaskSummary[] {
    const meant = this.background.filter(
      ({ start }) => agentId === undefined || start.fields.parent_task_id === agentId,
    );
    return meant.map(({ id, start: { type, fields, command } }) => ({
      id,
      type: type === 'local_bash' ? 'shell' : 'subagent',
      status: 'running',
      description: fields.description,
      ...(command === undefined ? {} : { command }),
      ...(fields.subagent_type === undefined ? {} : { agent_type: fields.subagent_type }),
    }));
  }

  /** Those that a call waits for. */
  get foreground(): readonly Task[] {
    return [...this.#running.values()].filter(({ isBackgrounded }) => !isBackgrounded);
  }

  get(id: string): Task | undefined {
    return this.#running.get(id);
  }

  /** Of a task that runs or has ended; undefined if it is unknown, or writes nothing. */
  output(id: string): TaskOutput | undefined {
    return this.#running.get(id)?.start.output?.() ?? this.#outputs?.get(id);
  }

  start(start: TaskStart): Task {
    const task = new BoardTask(start, this.#lines, {
      listed: () => this.list(),
      ended: (end) => this.#ended(task, end),
    });
    this.#running.set(task.id, task);
    if (task.isBackgrounded) this.list();
    this.#lines.system('task_started', {
      task_id: task.id,
      run_id: task.runId,
      ...start.fields,
      is_backgrounded: task.isBackgrounded,
      task_type: start.type,
    });
    return task;
  }

  /** False if there is no such task. Resolves when it has stopped. */
  async stop(id: string, by: StoppedBy = 'parent'): Promise<boolean> {
    const task = this.#running.get(id);
    if (task === undefined) return false;
    await this.#stop(task, by);
    return true;
  }

  async stopAll(isMeant: (task: Task) => boolean = () => true): Promise<void> {
    await Promise.all([...this.#running.values()].filter(isMeant).map((task) => this.#stop(task, 'system')));
  }

  /** Ends the subagents that a turn was waiting for: that of a subagent, or of the main agent. */
  endWaitedFor(agentId: string | undefined): Promise<void> {
    return this.stopAll(
      ({ isBackgrounded, start }) =>
        !isBackgrounded && start.type === 'local_agent' && start.fields.parent_task_id === agentId,
    );
  }

  /** The foreground tasks go on in the background: all of them, or that of one call. */
  sendToBackground(toolUseId?: string): void {
    for (const task of this.#running.values()) {
      if (toolUseId === undefined || task.start.fields.tool_use_id === toolUseId) task.sendToBackground();
    }
  }

  /** Resolves when the next task ends; immediately if none is running. */
  changed(): Promise<void> {
    return this.#running.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#waiting ??= [];
          this.#waiting.push(resolve);
        });
  }

  async #stop(task: BoardTask, by: StoppedBy): Promise<void> {
    try {
      await task.start.stop(by);
    } catch (error) {
      task.end({ status: 'failed', summary: task.start.fields.description, error: messageOf(error) });
    }
    task.end({ status: 'stopped', summary: task.start.fields.description });
  }

  #ended(task: BoardTask, end: TaskEnd): void {
    this.#running.delete(task.id);
    this.#keepOutput(task);
    const { status, summary, usage, error, tells, isForLater = false } = end;
    const ids = { task_id: task.id, run_id: task.runId };
    const patch = { status: status === 'stopped' ? ('killed' as const) : status, end_time: clock.now() };
    // As in the CLI: the call tells how a command has ended that it has waited for.
    const isQuiet = task.start.type === 'local_bash' && !task.isBackgrounded;
    if (!isQuiet) {
      this.#lines.system('task_updated', {
        ...ids,
        patch: { ...patch, ...(error === undefined ? {} : { error }) },
      });
    }
    const { tool_use_id } = task.start.fields;
    this.#lines.system('task_notification', {
      ...ids,
      ...(tool_use_id === undefined ? {} : { tool_use_id }),
      status,
      output_file: isQuiet ? '' : task.start.outputFile,
      summary,
      ...(usage === undefined ? {} : { usage }),
    });
    if (task.isBackgrounded || this.#orphans(task.id)) this.list();
    const news = { text: tells ?? '', runId: task.runId, isForLater };
    if (tells !== undefined && task.start.tell?.(news) !== true) this.#tell(news);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const resolve of waiting ?? []) resolve();
  }

  /** As in the CLI: what a task leaves in the background when its caller goes on without it has no parent any more. */
  #orphans(parent: string): boolean {
    const children = this.background.filter(({ start }) => start.fields.parent_task_id === parent);
    for (const { start } of children) delete start.fields.parent_task_id;
    return children.length > 0;
  }

  #keepOutput({ id, start }: BoardTask): void {
    const output = start.output?.();
    if (output === undefined) return;
    this.#outputs ??= new Map();
    this.#outputs.set(id, output);
    const [oldest] = this.#outputs.keys();
    if (this.#outputs.size > LIMITS.keptTaskOutputs && oldest !== undefined) this.#outputs.delete(oldest);
  }

  /** Tells the host which tasks are in the background: after each change, and when it begins anew. */
  list(): void {
    this.#lines.system('background_tasks_changed', {
      tasks: this.background.map(({ id, runId, start: { type, fields } }) => ({
        task_id: id,
        run_id: runId,
        task_type: type,
        ...(fields.subagent_type === undefined ? {} : { subagent_type: fields.subagent_type }),
        description: fields.description,
        ...(fields.parent_task_id === undefined ? {} : { parent_task_id: fields.parent_task_id }),
      })),
    });
  }
}
