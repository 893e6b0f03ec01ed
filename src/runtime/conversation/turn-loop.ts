import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { SDKMessageOrigin, SDKPermissionDenial } from '../../protocol/wire/messages/index.js';
import type { Host } from '../host.js';
import type { Transcript } from '../transcript/transcript.js';
import { brokenTurn, ClosedError, failedTurn, type TurnOutcome } from '../turn/turn-record.js';
import type { AgentConversation } from './conversation.js';
import { type Lines, resultLine, saved, type Warnings } from './lines.js';
import type { MessageQueue } from './message-queue.js';

export interface TurnLoopParts {
  readonly lines: Lines;
  readonly queue: MessageQueue;
  readonly conversation: Pick<AgentConversation, 'model' | 'subagents' | 'tasks' | 'tools' | 'usage'>;
  readonly warnings: Warnings;
  readonly reportsState: boolean;
  /** Undefined until the conversation is open. */
  transcript(): Transcript | undefined;
  /** One turn, from a message to its outcome. */
  prompt(message: MessageFrame, signal: AbortSignal): Promise<TurnOutcome>;
  /** Called once, before the first turn: messages that have their turns before all others. */
  beforeFirst(signal: AbortSignal): Promise<MessageFrame[]>;
}

const NONE: MessageFrame[] = [];

type SessionState = 'idle' | 'running' | 'requires_action';

/** Takes one message after the other from the queue and runs its turn, to the line with its result. */
export class TurnLoop {
  /** Of the running turn, or of the last one. */
  promptId = '';
  /** How many turns have had a result. */
  results = 0;
  lastWasError = false;
  /** What the running turn was denied. */
  readonly denials: SDKPermissionDenial[] = [];
  readonly #parts: TurnLoopParts;
  #turn: AbortController | undefined;
  #working: Promise<void> = Promise.resolve();
  /** Questions to the host that are open. */
  #questions = 0;
  #isWorking = false;
  #hasBegun = false;
  /** Before what is in the queue. */
  #first: MessageFrame[] = NONE;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(parts: TurnLoopParts) {
    this.#parts = parts;
  }

  get isWorking(): boolean {
    return this.#isWorking;
  }

  /** Works on what is in the queue, if it is not doing so already. */
  begin(): void {
    if (this.#isClosed || this.#parts.queue.length === 0) return;
    this.#wake();
    if (!this.#isWorking) this.#working = this.#work();
  }

  interrupt(): void {
    // The first turn waits for the conversation to open; who interrupts meanwhile means it.
    if (!this.#hasBegun && this.#parts.queue.length > 0) this.#turn ??= new AbortController();
    this.#turn?.abort(new Error('interrupted'));
  }

  /** Resolves when nothing is left to do, in the background either. */
  async settled(): Promise<void> {
    const { tasks } = this.#parts.conversation;
    await this.#working;
    while (!this.#isClosed && (this.#isWorking || tasks.background.length > 0)) {
      await (this.#isWorking ? this.#working : tasks.changed());
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#parts.queue.clear();
    this.#turn?.abort(new ClosedError('closed'));
    this.#wake();
    await this.#parts.conversation.tasks.stopAll();
  }

  async #work(): Promise<void> {
    const { queue, lines, conversation } = this.#parts;
    const { tasks } = conversation;
    this.#isWorking = true;
    this.#reportState('running');
    for (;;) {
      if (!this.#hasBegun) await this.#begin();
      const message = this.#first.shift() ?? queue.next();
      if (message !== undefined) {
        await this.#runTurn(message);
        if (!this.#isClosed) lines.lifecycle(message, 'completed');
      } else if (tasks.background.some(({ start }) => start.type === 'local_agent') && !this.#isClosed) {
        // As in the CLI: the agent is idle beside a command in the background, but not beside a subagent.
        await Promise.race([tasks.changed(), this.#woken()]);
      } else break;
    }
    this.#isWorking = false;
    this.#reportState('idle');
  }

  async #begin(): Promise<void> {
    this.#hasBegun = true;
    // Also that of the first turn: who interrupts meanwhile means that one.
    this.#turn ??= new AbortController();
    this.#first = await this.#parts.beforeFirst(this.#turn.signal);
  }

  /** Resolves when there is a message, or the end. */
  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #runTurn(message: MessageFrame): Promise<void> {
    const { lines, conversation, warnings } = this.#parts;
    const { usage, model, tools, subagents } = conversation;
    const started = clock.monotonic();
    const turn = this.#turn ?? new AbortController();
    this.#turn = turn;
    warnings.isTurnRunning = true;
    this.promptId = clock.uuid();
    lines.answered = typeof message.uuid === 'string' ? [message.uuid] : [];
    usage.beginTurn();
    model.beginTurn();
    tools.structured?.reset();
    this.denials.length = 0;
    let outcome: TurnOutcome;
    try {
      outcome = await this.#parts.prompt(this.#queried(message), turn.signal);
    } catch (error) {
      // An internal error must not leave the host waiting.
      outcome = brokenTurn(messageOf(error));
    }
    this.#turn = undefined;
    warnings.isTurnRunning = false;
    outcome = await this.#stored(outcome);
    if (this.#isClosed) return;
    this.lastWasError = outcome.isError;
    lines.send(
      resultLine(outcome, {
        durationMs: clock.monotonic() - started,
        usage,
        denials: [...this.denials],
        structured: tools.structured,
        index: this.results++,
        queued: this.#parts.queue.fromHost,
        answered: lines.answeredFields(),
        origin: newsOrigin(message),
        subagents: subagents.stats,
      }),
    );
  }

  /** As in the CLI: the news of tasks that have ended together are answered at once, in the last turn about them. */
  #queried(message: MessageFrame): MessageFrame {
    const isFollowed = newsOrigin(message) !== undefined && this.#parts.queue.isNewsNext;
    return isFollowed ? { ...message, shouldQuery: false } : message;
  }

  /** Before the host sees the result, so that it can resume from there. */
  async #stored(outcome: TurnOutcome): Promise<TurnOutcome> {
    const transcript = this.#parts.transcript();
    if (transcript !== undefined) await saved(transcript, this.#parts.lines);
    const conflict = transcript?.conflict;
    return conflict === undefined ? outcome : failedTurn(outcome, conflict.message);
  }

  get state(): SessionState {
    if (!this.#isWorking) return 'idle';
    return this.#questions > 0 ? 'requires_action' : 'running';
  }

  /** The host is told that somebody is waited for, until all such questions are answered. */
  async whileAsking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#questions += 1;
    if (this.#questions === 1) this.#reportState('requires_action');
    try {
      return await ask();
    } finally {
      this.#questions -= 1;
      if (this.#questions === 0 && this.#isWorking) this.#reportState('running');
    }
  }

  #reportState(state: SessionState): void {
    if (this.#parts.reportsState && !this.#isClosed) {
      this.#parts.lines.system('session_state_changed', { state, sdk_host_only: true });
    }
  }
}

/** The host, asked by somebody whom the turn waits for. */
export function askingHost(host: Host, turns: () => TurnLoop): Host {
  return { ask: (...question) => turns().whileAsking(() => host.ask(...question)) };
}

/** The origin of a message that tells of a task, which its result repeats. */
export function newsOrigin({ origin }: MessageFrame): SDKMessageOrigin | undefined {
  const { kind } = (origin ?? {}) as Partial<SDKMessageOrigin>;
  return kind === 'task-notification' ? (origin as SDKMessageOrigin) : undefined;
}
