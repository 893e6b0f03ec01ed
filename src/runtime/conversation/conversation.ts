import { type ComposedCalls, composeCalls } from '../../mcp/call-middleware.js';
import { untilAborted } from '../../protocol/base/cancellation.js';
import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { MessageParam } from '../../protocol/wire/content.js';
import type { InitializeRequest } from '../../protocol/wire/control-requests.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { SDKPermissionDenial } from '../../protocol/wire/messages/index.js';
import { runCompactCommand } from '../context/compact-command.js';
import { type ContextWindow, windowFor } from '../context/context-window.js';
import { CommandHooks } from '../hooks/command-hooks.js';
import { type HookRegistration, HookRunner } from '../hooks/hook-runner.js';
import { PromptHooks } from '../hooks/prompt-hooks.js';
import type { Host } from '../host.js';
import { Permissions } from '../permissions/permissions.js';
import { type ConversationSettings, readSettings, startWith } from '../settings/conversation-settings.js';
import { DEFAULT_MAX_TOKENS, type PlacedConfig, type RuntimeStart } from '../start/runtime-config.js';
import { AgentTools } from '../tools/agent-tools.js';
import { Transcript } from '../transcript/transcript.js';
import { RequestHistory } from '../turn/history-policy.js';
import { ModelChoice } from '../turn/model-choice.js';
import { newTurn, type TurnParts } from '../turn/new-turn.js';
import { brokenTurn, emptyTurn, failedTurn, type TurnOutcome } from '../turn/turn-record.js';
import { UsageLedger } from '../turn/usage.js';
import type { Lines } from './lines.js';
import { refused, resultLine, saved, Warnings } from './lines.js';
import { compactCommandIn, contentOf, MessageQueue, textOf } from './message-queue.js';

/** One conversation: its history, its queued messages, and the running turn. */
export class AgentConversation {
  readonly permissions: Permissions;
  readonly tools: AgentTools;
  readonly usage: UsageLedger;
  readonly startedAt = clock.monotonic();
  readonly model: ModelChoice;
  readonly settings: ConversationSettings;
  readonly #config: PlacedConfig;
  readonly #start: RuntimeStart;
  readonly #lines: Lines;
  readonly #hooks: HookRunner;
  readonly #promptHooks: PromptHooks;
  #transcript: Transcript | undefined;
  #opening: Promise<void> = Promise.resolve();
  readonly #history: RequestHistory;
  readonly #middleware: ComposedCalls | undefined;
  readonly #queue: MessageQueue;
  readonly #denials: SDKPermissionDenial[] = [];
  readonly #warnings: Warnings;
  #window: ContextWindow | undefined;
  #initialize: InitializeRequest = {};
  #turn: AbortController | undefined;
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;
  #promptId = '';
  #results = 0;
  #lastWasError = false;
  #closed = false;

  constructor(config: PlacedConfig, given: RuntimeStart, host: Host, lines: Lines) {
    this.#config = config;
    this.settings = readSettings(config.platform, given);
    this.#warnings = new Warnings(lines, given.onStderr);
    const warn = (text: string): void => this.#warnings.add(text);
    const start = startWith(given, this.settings, config.model, warn);
    this.#start = start;
    this.#lines = lines;
    this.#history = new RequestHistory(config.historyPolicy);
    this.#middleware = composeCalls(config.toolMiddleware, 'toolMiddleware');
    this.#queue = new MessageQueue(lines);
    const maxTokens = config.maxTokens ?? DEFAULT_MAX_TOKENS;
    this.model = new ModelChoice(config.model, start.flags, maxTokens, lines, this.settings.modelProblem);
    this.permissions = new Permissions(given.flags, this.settings.permissions, host, lines, warn);
    this.usage = new UsageLedger(config);
    const commands = new CommandHooks(this.settings.hooks, config.platform.runCommand, start);
    this.#hooks = new HookRunner(host, lines, commands, () => ({
      session_id: lines.sessionId,
      transcript_path: '',
      cwd: start.cwd,
      prompt_id: this.#promptId,
      permission_mode: this.permissions.mode,
    }));
    this.#promptHooks = new PromptHooks(this.#hooks, start.flags, this.model);
    const windowTokens = (): number => this.window.sizeFor(this.model.current);
    this.tools = new AgentTools(config, start, this.settings, host, this.permissions, warn, windowTokens);
  }

  get state(): 'idle' | 'running' {
    return this.#isWorking ? 'running' : 'idle';
  }

  get exitCode(): number {
    return this.#lastWasError ? 1 : 0;
  }

  /** Called first: starts a new conversation or resumes an earlier one. Rejects if that cannot be resumed. */
  open(): Promise<void> {
    const opening = this.#open();
    this.#opening = opening.catch(() => {});
    return opening;
  }

  async #open(): Promise<void> {
    this.#transcript = await Transcript.open(this.#config, this.#start, (key, entries) =>
      this.#lines.mirror(this.#config.platform.transcriptPath(key), entries),
    );
    this.#lines.sessionId = this.#transcript.sessionId;
    this.#queue.announce();
    if (this.#queue.length > 0 && !this.#isWorking) this.#working = this.#work();
  }

  /** Registers what the host announces; a second call replaces the hooks and adds servers. */
  initialize(request: InitializeRequest): void {
    this.#initialize = { ...this.#initialize, ...request };
    this.#hooks.register(request.hooks ?? {});
    this.tools.initialize(request);
  }

  /** For the host: on stderr, and as a message of this turn or the next. */
  warn(text: string): void {
    this.#warnings.add(text);
  }

  /** Queues a message. The model reads it in its own turn, or with the results of the running tools. */
  say(message: MessageFrame): void {
    this.#queue.push(message);
    if (this.#transcript === undefined) return;
    this.#lines.lifecycle(message, 'queued');
    if (!this.#isWorking) this.#working = this.#work();
  }

  /** Ends the running turn. The queued messages follow, unless they are to be dropped. */
  interrupt(dropsQueue = false): { still_queued: string[]; cancelled?: string[] } {
    this.#turn?.abort(new Error('interrupted'));
    const { ids } = this.#queue;
    if (!dropsQueue) return { still_queued: ids };
    this.#queue.clear();
    return { still_queued: [], cancelled: ids };
  }

  /** Withdraws a queued message. */
  cancel(uuid: string): boolean {
    return this.#queue.cancel(uuid);
  }

  get hooks(): HookRegistration {
    return this.#hooks.registration;
  }

  get pid(): number | undefined {
    return this.#config.platform.pid;
  }

  /** Made when it is needed: many conversations wait for long for their first prompt. */
  get window(): ContextWindow {
    this.#window ??= windowFor(this.#config, this.settings.effective);
    return this.#window;
  }

  /** What the model reads. */
  get messages(): readonly MessageParam[] {
    return this.#transcript?.messages ?? [];
  }

  get cwd(): string {
    return this.#start.cwd;
  }

  /** Input has ended. The host's hooks only run while it can answer; those of the settings always do. */
  end(isHostGone = false): Promise<void> {
    return this.#promptHooks.ended(isHostGone);
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
    await Promise.all([this.tools.close(), this.#hooks.close()]);
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
    const started = clock.monotonic();
    const turn = new AbortController();
    this.#turn = turn;
    this.#warnings.isTurnRunning = true;
    this.#promptId = clock.uuid();
    this.#lines.answered = typeof message.uuid === 'string' ? [message.uuid] : [];
    this.usage.beginTurn();
    this.model.beginTurn();
    this.tools.structured?.reset();
    this.#denials.length = 0;
    let outcome: TurnOutcome;
    try {
      outcome = await this.#prompt(message, turn.signal);
    } catch (error) {
      // An internal error must not leave the host waiting.
      outcome = brokenTurn(messageOf(error));
    }
    this.#turn = undefined;
    this.#warnings.isTurnRunning = false;
    // Before the host sees the result, so that it can resume from there.
    if (this.#transcript !== undefined) await saved(this.#transcript, this.#lines);
    const { conflict } = this.#transcript ?? {};
    if (conflict !== undefined) outcome = failedTurn(outcome, conflict.message);
    if (this.#closed) return;
    this.#lastWasError = outcome.isError;
    this.#lines.send(
      resultLine(outcome, {
        durationMs: clock.monotonic() - started,
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
    // What the model would answer could not be stored.
    if (this.#transcript?.conflict !== undefined) throw this.#transcript.conflict;
    // An interrupt does not wait for a server that does not answer; the turn itself then notices the signal.
    const settled = (): Promise<unknown> => untilAborted(this.tools.hub.settled(), signal).catch(() => {});
    const introduce = (): void => this.#warnings.introduce(this, this.#start, this.#results === 0);
    const command = compactCommandIn(content);
    if (command !== undefined) {
      await settled();
      return runCompactCommand(command, this.#turnParts(), signal, introduce);
    }
    const verdict = await this.#promptHooks.submitted(textOf(content), signal);
    await settled();
    introduce();
    if (verdict.refusal?.prompt_submit_outcome.prompt_kept === false)
      return refused(verdict.refusal, this.#lines);
    const contexts = verdict.contexts.map((text) => ({ type: 'text' as const, text }));
    const line = this.#replay(message) ?? message.uuid;
    const lines = typeof line === 'string' ? [line] : [];
    this.#remember({ role: 'user', content: [...content, ...contexts] }, lines);
    if (verdict.refusal !== undefined) return refused(verdict.refusal, this.#lines);
    if (message.shouldQuery === false) return emptyTurn('');
    return newTurn(this.#turnParts(), signal).run();
  }

  /** Echoes the message to the host, with its own id. */
  #replay({ message, uuid }: MessageFrame): string | undefined {
    if (!this.#start.flags.replayUserMessages) return undefined;
    const { content } = (message ?? {}) as MessageParam;
    return this.#lines.user(content, { isReplay: true, ...(typeof uuid === 'string' ? { uuid } : {}) });
  }

  #turnParts(): TurnParts {
    if (this.#transcript === undefined) throw new Error('The conversation is not open yet.');
    return {
      conversation: this,
      config: this.#config,
      start: this.#start,
      lines: this.#lines,
      hooks: this.#hooks,
      queue: this.#queue,
      denials: this.#denials,
      initialize: this.#initialize,
      transcript: this.#transcript,
      history: this.#history,
      middleware: this.#middleware,
      remember: (message, lines) => this.#remember(message, lines),
      warn: (text) => this.#warnings.addOnce(text),
      window: this.window,
    };
  }

  #remember(message: MessageParam, lines?: readonly string[]): void {
    this.#transcript?.add(message, lines, this.model.name);
  }

  #reportState(state: 'running' | 'idle'): void {
    if (this.#start.reportsState && !this.#closed) {
      this.#lines.system('session_state_changed', { state, sdk_host_only: true });
    }
  }
}
