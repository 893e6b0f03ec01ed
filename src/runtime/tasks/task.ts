import { clock } from '../../protocol/base/clock.js';
import type {
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
} from '../../protocol/wire/messages/index.js';
import type { Lines } from '../conversation/lines.js';

export type TaskType = 'local_bash' | 'local_agent';

type StartedFields = Pick<
  SDKTaskStartedMessage,
  'tool_use_id' | 'description' | 'subagent_type' | 'spawn_depth' | 'parent_task_id' | 'prompt'
>;

/** A piece of work beside the conversation's own: a command or a subagent. */
export interface TaskStart {
  readonly id: string;
  readonly type: TaskType;
  /** The command line, if it is one. */
  readonly command?: string | undefined;
  /** The fields of `task_started`. */
  readonly fields: StartedFields;
  /** false: the call that started it waits for it. */
  readonly isBackgrounded: boolean;
  /** Where its output can be read; empty if nowhere. */
  readonly outputFile: string;
  /** Tells the subagent that has started it of its end. False, or absent: the main agent is told. */
  tell?(news: TaskNews): boolean;
  /** Called when it goes on in the background: the call that waits for it can return. Absent: it cannot. */
  onBackgrounded?(): void;
  /** The end of what it has written so far. Absent: nobody asks. */
  output?(): TaskOutput;
  /** Ends the work. Resolves when nothing is left of it. The work itself then calls `end` with `stopped`. */
  stop(by: StoppedBy): Promise<void> | void;
}

export interface TaskOutput {
  readonly output: string;
  readonly total_bytes: number;
  /** It had been longer. */
  readonly truncated: boolean;
}

/** Who stops a task: the host, the model with a tool, or an interrupt (or the end) of the whole conversation. */
export type StoppedBy = 'user' | 'parent' | 'system';

export interface TaskEnd {
  readonly status: SDKTaskNotificationMessage['status'];
  readonly summary: string;
  readonly usage?: SDKTaskNotificationMessage['usage'];
  readonly error?: string | undefined;
  /** What the model is told in a turn of its own. Absent: nothing. */
  readonly tells?: string | undefined;
  /** Not with the results of running tools: the model itself has ended it. */
  readonly isForLater?: boolean;
}

/** A task that has started and not ended. */
export interface Task {
  readonly id: string;
  readonly runId: string;
  readonly start: TaskStart;
  readonly isBackgrounded: boolean;
  /** A foreground task goes on in the background. */
  sendToBackground(): void;
  progress(
    fields: Omit<SDKTaskProgressMessage, 'type' | 'subtype' | 'uuid' | 'session_id' | 'task_id' | 'run_id'>,
  ): void;
  /** Only the first call counts. */
  end(end: TaskEnd): void;
}

/** The end of a background task, as the model will hear of it. */
export interface TaskNews {
  readonly text: string;
  readonly runId: string;
  readonly isForLater: boolean;
}

/** A task on the board: what it tells the host of itself. */
export class BoardTask implements Task {
  readonly start: TaskStart;
  readonly runId = newRunId();
  readonly #lines: Lines;
  readonly #events: { listed(): void; ended(end: TaskEnd): void };
  #isBackgrounded: boolean;
  #hasEnded = false;

  constructor(start: TaskStart, lines: Lines, events: { listed(): void; ended(end: TaskEnd): void }) {
    this.start = start;
    this.#lines = lines;
    this.#events = events;
    this.#isBackgrounded = start.isBackgrounded;
  }

  get id(): string {
    return this.start.id;
  }

  get isBackgrounded(): boolean {
    return this.#isBackgrounded;
  }

  sendToBackground(): void {
    if (this.#isBackgrounded || this.#hasEnded || this.start.onBackgrounded === undefined) return;
    this.#isBackgrounded = true;
    this.#events.listed();
    const patch = { is_backgrounded: true };
    this.#lines.system('task_updated', { task_id: this.id, run_id: this.runId, patch });
    this.start.onBackgrounded?.();
  }

  progress(fields: Parameters<Task['progress']>[0]): void {
    if (this.#hasEnded) return;
    this.#lines.system('task_progress', { task_id: this.id, run_id: this.runId, ...fields });
  }

  end(end: TaskEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#events.ended(end);
  }
}

/** By time and by chance, so that runs can be told apart and put in order. */
function newRunId(): string {
  return `0${clock.now().toString(36).padStart(8, '0').slice(-8)}-${clock.uuid().slice(0, 8)}`;
}
