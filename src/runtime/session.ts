import { randomUUID } from 'node:crypto';
import type { MessageParam } from '../protocol/content.js';
import type { InitializeRequest } from '../protocol/control-requests.js';
import { messageOf } from '../protocol/errors.js';
import type { MessageFrame } from '../protocol/frames.js';
import { untilAborted } from './abortable.js';
import { type HookRegistration, HookRunner } from './hook-runner.js';
import type { Host } from './host.js';
import { initFields } from './init-line.js';
import type { Lines } from './lines.js';
import { MessageQueue } from './message-queue.js';
import { ModelChoice } from './model-choice.js';
import { newTurn, type TurnParts } from './new-turn.js';
import { Permissions } from './permissions.js';
import { PromptHooks, type RefusedPrompt } from './prompt-hooks.js';
import { resultLine } from './result-line.js';
import { DEFAULT_MAX_TOKENS, type RuntimeConfig, type RuntimeStart } from './runtime-config.js';
import { SessionTools } from './session-tools.js';
import { Transcript } from './sessions/transcript.js';
import { brokenTurn, emptyTurn, type TurnOutcome } from './turn-outcome.js';
import { UsageLedger } from './usage.js';
import { contentOf, textOf } from './user-message.js';

/** One conversation: what was said, what waits to be said, and the turn that runs. */
export class RuntimeSession {
  readonly permissions: Permissions;
  readonly tools: SessionTools;
  readonly usage: UsageLedger;
  readonly startedAt = performance.now();
  /** In turns, for hosts that want to know. */
  workedMs = 0;
  readonly model: ModelChoice;
  readonly #config: RuntimeConfig;
  readonly #start: RuntimeStart;
  readonly #lines: Lines;
  readonly #hooks: HookRunner;
  readonly #promptHooks: PromptHooks;
  #transcript: Transcript | undefined;
  #opening: Promise<void> = Promise.resolve();
  readonly #queue: MessageQueue;
  readonly #denials: object[] = [];
  readonly #warnings: string[] = [];
  #initialize: InitializeRequest = {};
  #turn: AbortController | undefined;
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;
  #promptId = '';
  #results = 0;
  #lastWasError = false;
  #closed = false;

  constructor(config: RuntimeConfig, start: RuntimeStart, host: Host, lines: Lines) {
    this.#config = config;
    this.#start = start;
    this.#lines = lines;
    this.#queue = new MessageQueue(lines);
    const maxTokens = config.maxTokens ?? DEFAULT_MAX_TOKENS;
    this.model = new ModelChoice(config.model, start.flags, maxTokens, lines);
    this.permissions = new Permissions(start.flags, host, lines, (text) => this.#warn(text));
    this.usage = new UsageLedger([config.prices, config.model.prices]);
    this.#hooks = new HookRunner(host, lines, () => ({
      session_id: lines.sessionId,
      transcript_path: '',
      cwd: start.cwd,
      prompt_id: this.#promptId,
      permission_mode: this.permissions.mode,
    }));
    this.#promptHooks = new PromptHooks(this.#hooks, start.flags, this.model);
    this.tools = new SessionTools(config, start, host, this.permissions);
  }

  get state(): 'idle' | 'running' {
    return this.#isWorking ? 'running' : 'idle';
  }

  get exitCode(): number {
    return this.#lastWasError ? 1 : 0;
  }

  /** Before anything else: a new conversation, or an old one. Rejects when that cannot be gone on with. */
  open(): Promise<void> {
    const opening = this.#open();
    this.#opening = opening.catch(() => {});
    return opening;
  }

  async #open(): Promise<void> {
    this.#transcript = await Transcript.open(this.#config, this.#start, (key, entries) =>
      this.#lines.mirror(key, entries),
    );
    this.#lines.sessionId = this.#transcript.sessionId;
    this.#queue.announce();
    if (this.#queue.length > 0 && !this.#isWorking) this.#working = this.#work();
  }

  /** Takes what the host says of itself; a second time replaces the hooks and adds servers. */
  initialize(request: InitializeRequest): void {
    this.#initialize = { ...this.#initialize, ...request };
    this.#hooks.register(request.hooks ?? {});
    this.tools.initialize(request);
  }

  /** Queued; read by the model in a turn of its own, or beside the results of the tools that run now. */
  say(message: MessageFrame): void {
    this.#queue.push(message);
    if (this.#transcript === undefined) return;
    this.#lines.lifecycle(message, 'queued');
    if (!this.#isWorking) this.#working = this.#work();
  }

  /** Ends the turn that runs; the conversation goes on, with what waits unless that is to be dropped. */
  interrupt(dropsQueue = false): { still_queued: string[]; cancelled?: string[] } {
    this.#turn?.abort(new Error('interrupted'));
    const { ids } = this.#queue;
    if (!dropsQueue) return { still_queued: ids };
    this.#queue.clear();
    return { still_queued: [], cancelled: ids };
  }

  /** Takes back a message that waits. */
  cancel(uuid: string): boolean {
    return this.#queue.cancel(uuid);
  }

  get hooks(): HookRegistration {
    return this.#hooks.registration;
  }

  get cwd(): string {
    return this.#start.cwd;
  }

  /** The host says that no more comes. Its hooks must hear of it while it can still answer. */
  end(): Promise<void> {
    return this.#promptHooks.ended();
  }

  /** Resolves when nothing is left to do. */
  async settled(): Promise<void> {
    await this.#opening;
    await this.#working;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.clear();
    this.#turn?.abort(new Error('closed'));
    await this.tools.hub.close();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    this.#reportState('running');
    for (let message = this.#queue.next(); message !== undefined; message = this.#queue.next()) {
      await this.#runTurn(message);
      if (!this.#closed) this.#lines.lifecycle(message, 'completed');
    }
    this.#isWorking = false;
    this.#reportState('idle');
  }

  async #runTurn(message: MessageFrame): Promise<void> {
    const started = performance.now();
    const turn = new AbortController();
    this.#turn = turn;
    this.#promptId = randomUUID();
    this.#lines.answered = typeof message.uuid === 'string' ? [message.uuid] : [];
    this.usage.beginTurn();
    this.model.beginTurn();
    this.tools.structured?.reset();
    this.#denials.length = 0;
    let outcome: TurnOutcome;
    try {
      outcome = await this.#prompt(message, turn.signal);
    } catch (error) {
      // A fault of our own must not leave the host waiting.
      outcome = brokenTurn(messageOf(error));
    }
    this.#turn = undefined;
    this.workedMs += performance.now() - started;
    await this.#saved();
    if (this.#closed) return;
    this.#lastWasError = outcome.isError;
    this.#lines.send(
      resultLine(outcome, {
        durationMs: performance.now() - started,
        usage: this.usage,
        denials: [...this.#denials],
        structured: this.tools.structured,
        index: this.#results++,
        queued: this.#queue.length,
        answered: this.#lines.answeredFields(),
      }),
    );
  }

  async #prompt(message: MessageFrame, signal: AbortSignal): Promise<TurnOutcome> {
    const content = contentOf(message);
    const verdict = await this.#promptHooks.submitted(textOf(content), signal);
    // An interrupt need not wait for a server that does not answer; the turn itself then sees it.
    await untilAborted(this.tools.hub.settled(), signal).catch(() => {});
    const { answered } = this.#lines;
    this.#lines.system('init', {
      ...initFields(this, this.#start.cwd),
      ...(answered.length === 0 ? {} : { user_message_uuids: [...answered] }),
    });
    for (const text of this.#warnings.splice(0)) this.#warn(text);
    if (verdict.refusal?.prompt_submit_outcome.prompt_kept === false) return this.#refused(verdict.refusal);
    const contexts = verdict.contexts.map((text) => ({ type: 'text' as const, text }));
    const line = this.#replay(message) ?? message.uuid;
    this.#remember(
      { role: 'user', content: [...content, ...contexts] },
      line === undefined ? [] : [String(line)],
    );
    if (verdict.refusal !== undefined) return this.#refused(verdict.refusal);
    if (message.shouldQuery === false) return emptyTurn('');
    return newTurn(this.#turnParts(), signal).run();
  }

  /** Says back what the host said, under the id that it was said with. */
  #replay({ message, uuid }: MessageFrame): string | undefined {
    if (!this.#start.flags.replayUserMessages) return undefined;
    const { content } = (message ?? {}) as MessageParam;
    return this.#lines.user(content, { isReplay: true, ...(uuid === undefined ? {} : { uuid }) });
  }

  #turnParts(): TurnParts {
    if (this.#transcript === undefined) throw new Error('The conversation is not open yet.');
    return {
      session: this,
      config: this.#config,
      start: this.#start,
      lines: this.#lines,
      hooks: this.#hooks,
      queue: this.#queue,
      denials: this.#denials,
      initialize: this.#initialize,
      transcript: this.#transcript,
      remember: (said, lines) => this.#remember(said, lines),
    };
  }

  #remember(message: MessageParam, lines?: readonly string[]): void {
    this.#transcript?.add(message, lines, this.model.name);
  }

  /** A result that the host has seen is one that can be gone on from. */
  async #saved(): Promise<void> {
    try {
      await this.#transcript?.endTurn();
    } catch (error) {
      this.#lines.system('mirror_error', { error: messageOf(error), key: this.#transcript?.key });
    }
  }

  /** The model is not asked; the host reads why, twice. */
  #refused(refusal: RefusedPrompt): TurnOutcome {
    this.#lines.system('informational', { ...refusal, level: 'warning', prevent_continuation: true });
    return emptyTurn(refusal.content);
  }

  /** For whoever reads stderr, and as a line. Before the first turn nobody listens yet. */
  #warn(text: string): void {
    if (this.#turn === undefined) {
      this.#warnings.push(text);
      return;
    }
    this.#start.onStderr?.(`warning: ${text}\n`);
    this.#lines.system('informational', { content: text, level: 'warning' });
  }

  #reportState(state: 'running' | 'idle'): void {
    if (this.#start.reportsState && !this.#closed) {
      this.#lines.system('session_state_changed', { state, sdk_host_only: true });
    }
  }
}
