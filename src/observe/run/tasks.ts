import { type Fields, fieldsOf, numberOf, stringOf } from './values.js';

/** What the agent does beside the conversation: a subagent, a command in the background. */
export interface Task {
  readonly id: string;
  readonly toolUseId: string | undefined;
  readonly subagent: string | undefined;
  readonly start: number;
  isBackground: boolean;
  end: number | undefined;
  lastFrame: number | undefined;
  /** `completed`, `failed`, `stopped` … */
  status: string | undefined;
}

export interface Compaction {
  readonly turn: string | undefined;
  readonly start: number;
  readonly firstFrame: number;
  end: number | undefined;
  lastFrame: number | undefined;
  facts: Fields;
  hasFailed: boolean;
}

/** What messages of the kind `system` tell about work beside the conversation. */
export class Tasks {
  readonly compactions: Compaction[] = [];
  readonly #byId = new Map<string, Task>();
  readonly #byCall = new Map<string, Task>();

  /** The task that was begun by this call. */
  ofCall(toolUseId: string): Task | undefined {
    return this.#byCall.get(toolUseId);
  }

  /** By its id, which is also that of the subagent. */
  get(id: unknown): Task | undefined {
    return typeof id === 'string' ? this.#byId.get(id) : undefined;
  }

  /** The task that has ended with this message. */
  add(frame: Fields, n: number, t: number, turn: string | undefined): Task | undefined {
    const { subtype } = frame;
    if (subtype === 'task_notification') return this.#ended(frame, n, t);
    if (subtype === 'task_started') this.#started(frame, t);
    else if (subtype === 'task_updated') this.#updated(frame);
    else if (subtype === 'status') this.#status(frame, n, t, turn);
    else if (subtype === 'compact_boundary') this.#compacted(frame, n, t, turn);
    return undefined;
  }

  #started(frame: Fields, t: number): void {
    const id = stringOf(frame.task_id);
    if (id === undefined) return;
    const task: Task = {
      id,
      toolUseId: stringOf(frame.tool_use_id),
      subagent: stringOf(frame.subagent_type),
      start: t,
      isBackground: frame.is_backgrounded === true,
      end: undefined,
      lastFrame: undefined,
      status: undefined,
    };
    this.#byId.set(id, task);
    if (task.toolUseId !== undefined) this.#byCall.set(task.toolUseId, task);
  }

  #updated(frame: Fields): void {
    const task = this.get(frame.task_id);
    const patch = fieldsOf(frame.patch);
    if (task !== undefined && patch.is_backgrounded === true) task.isBackground = true;
  }

  #ended(frame: Fields, n: number, t: number): Task | undefined {
    const task = this.get(frame.task_id);
    if (task === undefined || task.end !== undefined) return undefined;
    task.end = t;
    task.lastFrame = n;
    task.status = stringOf(frame.status);
    return task;
  }

  #status(frame: Fields, n: number, t: number, turn: string | undefined): void {
    const open = this.compactions.at(-1);
    if (frame.status === 'compacting' && (open === undefined || open.end !== undefined)) {
      this.compactions.push({
        turn,
        start: t,
        firstFrame: n,
        end: undefined,
        lastFrame: undefined,
        facts: {},
        hasFailed: false,
      });
    } else if (open !== undefined && open.end === undefined && frame.status !== 'compacting') {
      open.end = t;
      open.lastFrame = n;
      open.hasFailed = stringOf(frame.compact_result) === 'failed' || frame.compact_error !== undefined;
    }
  }

  #compacted(frame: Fields, n: number, t: number, turn: string | undefined): void {
    const facts = fieldsOf(frame.compact_metadata);
    const last = this.compactions.at(-1);
    if (last !== undefined && t - (last.end ?? t) < 1_000 && last.facts.trigger === undefined) {
      last.end ??= t;
      last.facts = facts;
      return;
    }
    const start = Math.max(0, t - (numberOf(facts.duration_ms) ?? 0));
    this.compactions.push({ turn, start, firstFrame: n, end: t, lastFrame: n, facts, hasFailed: false });
  }
}
