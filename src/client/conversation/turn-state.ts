import type { MessageFrame } from '../../protocol/wire/frames.js';

/**
 * Tracks what the agent is doing from its messages. It answers one question: is all requested work done?
 *
 * The CLI reports this itself since 2.1.290 (`session_state_changed`). With older ones there is only
 * `result`; for those the input sends one message per result (see user-input.ts), so that a result always
 * answers the last message. No clock is involved.
 */
export class TurnState {
  #reported: 'running' | 'idle' | undefined;
  #sawTurn = false;
  /** A message was sent, or a turn has begun, and no result has followed. */
  #awaitingResult = false;
  /** A message was sent during a turn: the agent includes it in that turn, or queues it for the next. */
  #mayBeQueued = false;
  #results = 0;
  #backgroundTasks: Set<string> | undefined;

  /** Undefined until the first turn. */
  get reportsState(): boolean | undefined {
    if (this.#reported !== undefined) return true;
    return this.#sawTurn ? false : undefined;
  }

  get results(): number {
    return this.#results;
  }

  get awaitingResult(): boolean {
    return this.#awaitingResult;
  }

  get mayBeQueued(): boolean {
    return this.#mayBeQueued;
  }

  /** Whether a result is still missing: if the process ends now, something was lost. */
  get owesResult(): boolean {
    if (this.#awaitingResult) return true;
    return !this.isDone && (this.#mayBeQueued || this.hasBackgroundTasks);
  }

  get hasBackgroundTasks(): boolean {
    return this.#backgroundTasks !== undefined && this.#backgroundTasks.size > 0;
  }

  /** Whether nothing is left to do: the last message has its result, and no background work is running. */
  get isDone(): boolean {
    // The CLI is `idle` while a shell command runs in the background, though a turn follows when it ends.
    if (this.#awaitingResult || this.hasBackgroundTasks) return false;
    return this.#reported !== 'running';
  }

  messageSent(): void {
    if (this.#awaitingResult) this.#mayBeQueued = true;
    this.#awaitingResult = true;
  }

  observe(message: MessageFrame): void {
    if (message.type === 'result') {
      // A local command or a blocked prompt has a result without a preceding turn.
      this.#sawTurn = true;
      this.#results += 1;
      this.#awaitingResult = false;
    } else if (message.type === 'assistant') {
      this.#sawTurn = true;
      // A subagent's messages belong to a task and do not begin a turn.
      if (message.parent_tool_use_id == null) this.#awaitingResult = true;
    } else if (message.type === 'system') {
      this.#observeSystem(message);
    }
  }

  #observeSystem(message: MessageFrame): void {
    switch (message.subtype) {
      case 'session_state_changed':
        this.#reported = message.state === 'idle' ? 'idle' : 'running';
        if (this.#reported === 'idle') this.#mayBeQueued = false;
        break;
      case 'init':
        this.#sawTurn = true;
        this.#awaitingResult = true;
        break;
      case 'background_tasks_changed':
        this.#backgroundTasks = new Set(tasksOf(message));
        break;
      case 'task_notification':
        this.#taskEnded(message);
        break;
    }
  }

  #taskEnded(message: MessageFrame): void {
    const wasKnown = isText(message.task_id) && this.#backgroundTasks?.delete(message.task_id);
    // The agent handles a finished task in a turn of its own, so another result follows.
    if (wasKnown && message.status !== 'stopped' && message.ambient !== true) this.#awaitingResult = true;
  }
}

function tasksOf(message: MessageFrame): string[] {
  const tasks = message.tasks;
  if (!Array.isArray(tasks)) return [];
  // One without an id could never be reported as ended.
  return tasks
    .filter((task) => task?.ambient !== true)
    .map((task) => task?.task_id)
    .filter(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
