import { type ComposedCalls, composeCalls } from '../../mcp/call-middleware.js';
import { clock } from '../../protocol/base/clock.js';
import type { MessageParam, ToolUseBlock } from '../../protocol/wire/content.js';
import type { InitializeRequest } from '../../protocol/wire/control-requests.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { Workspace } from '../../workspace/workspace.js';
import { type ContextWindow, windowFor } from '../context/context-window.js';
import type { ConversationFiles } from '../files/conversation-files.js';
import { logPlace, openFiles } from '../files/open-files.js';
import { CommandHooks } from '../hooks/command-hooks.js';
import { hookBase } from '../hooks/hook-base.js';
import { type HookRegistration, HookRunner } from '../hooks/hook-runner.js';
import { PromptHooks } from '../hooks/prompt-hooks.js';
import type { Host } from '../host.js';
import { Knowledge } from '../knowledge/knowledge.js';
import { openKnowledge } from '../knowledge/open-knowledge.js';
import { PromptExpander } from '../knowledge/prompt-expander.js';
import { Permissions } from '../permissions/permissions.js';
import { type ConversationSettings, readSettings, startWith } from '../settings/conversation-settings.js';
import {
  DEFAULT_MAX_TOKENS,
  type PlacedConfig,
  type RuntimeStart,
  startAnew,
} from '../start/runtime-config.js';
import { ledBy } from '../subagents/leading-agent.js';
import { Subagents } from '../subagents/subagents.js';
import type { TaskNews } from '../tasks/task.js';
import { TaskBoard } from '../tasks/task-board.js';
import { newsMessage } from '../tasks/task-notice.js';
import { AgentTools } from '../tools/agent-tools.js';
import { Transcript } from '../transcript/transcript.js';
import { RequestHistory } from '../turn/history-policy.js';
import { ModelChoice } from '../turn/model-choice.js';
import { runUnasked, type TurnParts } from '../turn/new-turn.js';
import { UsageLedger } from '../turn/usage.js';
import { type Lines, Warnings } from './lines.js';
import { MessageQueue } from './message-queue.js';
import { Prompting } from './prompting.js';
import { askingHost, TurnLoop } from './turn-loop.js';

/** One conversation: its history, its queued messages, and the running turn. */
export class AgentConversation {
  readonly permissions: Permissions;
  readonly tools: AgentTools;
  readonly usage: UsageLedger;
  readonly startedAt = clock.monotonic();
  readonly model: ModelChoice;
  readonly settings: ConversationSettings;
  readonly tasks: TaskBoard;
  readonly knowledge: Knowledge;
  readonly subagents: Subagents;
  readonly #config: PlacedConfig;
  readonly #start: RuntimeStart;
  readonly #lines: Lines;
  readonly #hooks: HookRunner;
  readonly #promptHooks: PromptHooks;
  #transcript: Transcript | undefined;
  #isOpen = false;
  #opening: Promise<void> = Promise.resolve();
  #workspace: Workspace | undefined;
  #files: ConversationFiles | undefined;
  #history: RequestHistory;
  readonly #middleware: ComposedCalls | undefined;
  readonly #queue: MessageQueue;
  readonly #warnings: Warnings;
  #window: ContextWindow | undefined;
  #initialize: InitializeRequest = {};
  readonly #turns: TurnLoop;

  constructor(config: PlacedConfig, given: RuntimeStart, host: Host, lines: Lines) {
    this.#config = config;
    this.settings = readSettings(config.platform, given);
    this.#warnings = new Warnings(lines, given.onStderr);
    const warn = (text: string): void => this.#warnings.add(text);
    const warnOnce = (text: string): void => this.#warnings.addOnce(text);
    const start = startWith(given, this.settings, config.model, warn);
    this.#start = start;
    this.#lines = lines;
    this.#history = new RequestHistory(config.historyPolicy);
    this.#middleware = composeCalls(config.toolMiddleware, 'toolMiddleware');
    this.#queue = new MessageQueue(lines);
    const maxTokens = config.maxTokens ?? DEFAULT_MAX_TOKENS;
    this.model = new ModelChoice(config.model, start.flags, maxTokens, lines, this.settings.modelProblem);
    const asked = askingHost(host, () => this.#turns);
    this.permissions = new Permissions(given.flags, this.settings.permissions, asked, lines, warn);
    this.usage = new UsageLedger(config);
    const commands = new CommandHooks(this.settings.hooks, config.platform.runCommand, start);
    this.#hooks = new HookRunner(host, lines, commands, () => hookBase(this, this.#turns.promptId));
    this.#promptHooks = new PromptHooks(this.#hooks, start.flags, this.model);
    const windowTokens = (): number => this.window.sizeFor(this.model.current);
    this.tools = new AgentTools(config, start, this.settings, host, this.permissions, warn, windowTokens);
    this.tasks = new TaskBoard(lines, (news) => this.#hear(news));
    this.knowledge = new Knowledge(config, this.settings.effective.outputStyle, warn, (commands) =>
      lines.system('commands_changed', { commands }),
    );
    const expander = new PromptExpander({
      conversation: this,
      workspace: () => this.#workspace,
      run: (call, signal) => runUnasked(call, this.#turnParts(), signal),
      warn: warnOnce,
    });
    this.tools.use(expander);
    this.subagents = new Subagents({
      conversation: this,
      config,
      start,
      expander,
      turnParts: () => this.#turnParts(),
      workspace: () => this.#workspace,
      hear: (news) => this.#hear(news),
      warn: warnOnce,
    });
    this.tools.use(this.subagents);
    const prompting = new Prompting({
      conversation: this,
      start,
      lines,
      warnings: this.#warnings,
      hooks: this.#promptHooks,
      expander,
      isFirst: () => this.#turns.results === 0,
      transcript: () => this.#transcript,
      turnParts: () => this.#turnParts(),
      remember: (...said) => this.#remember(...said),
      beginAnew: () => this.#beginAnew(),
    });
    this.#turns = new TurnLoop({
      lines,
      queue: this.#queue,
      conversation: this,
      warnings: this.#warnings,
      reportsState: start.reportsState,
      transcript: () => this.#transcript,
      prompt: (message, signal) => prompting.run(message, signal),
      beforeFirst: (signal) => prompting.first(signal),
    });
  }

  get state(): TurnLoop['state'] {
    return this.#turns.state;
  }

  get exitCode(): number {
    return this.#turns.lastWasError ? 1 : 0;
  }

  /** Called first: starts a new conversation or resumes an earlier one. Rejects if that cannot be resumed. */
  open(): Promise<void> {
    const opening = this.#open();
    this.#opening = opening.catch(() => {});
    return opening;
  }

  async #open(): Promise<void> {
    const reading = openKnowledge(this.knowledge, this.#config, this.#start);
    await this.#openTranscript(this.#config, this.#start);
    this.#workspace = await reading;
    this.#files = await openFiles(this.#workspace, this, this.#start, this.#transcript);
    this.#queue.announce();
    this.#isOpen = true;
    this.#turns.begin();
  }

  async #openTranscript(config: PlacedConfig, start: RuntimeStart): Promise<void> {
    this.#transcript = await Transcript.open(config, start, (key, entries) =>
      this.#lines.mirror(config.platform.transcriptPath(key), entries),
    );
    this.#lines.sessionId = this.#transcript.sessionId;
  }

  /** Nothing was said yet, in a session of its own; everything else stays as it is. */
  async #beginAnew(): Promise<void> {
    await this.#openTranscript({ ...this.#config, history: undefined }, startAnew(this.#start));
    this.usage.beginAnew();
    this.#window = undefined;
    this.#history = new RequestHistory(this.#config.historyPolicy);
    await this.#files?.beginAnew(logPlace(this.#transcript));
    await this.knowledge.renewMemory();
  }

  /** Registers what the host announces; a second call replaces the hooks and adds servers. */
  initialize(request: InitializeRequest): void {
    this.#initialize = { ...this.#initialize, ...request };
    this.#hooks.register(request.hooks ?? {});
    this.tools.initialize(request);
    this.subagents.initialize(request);
    this.knowledge.allowed = request.skills ?? this.knowledge.allowed;
  }

  /** For the host: on stderr, and as a message of this turn or the next. */
  warn(text: string): void {
    this.#warnings.add(text);
  }

  /** Queues a message. The model reads it in its own turn, or with the results of the running tools. */
  say(message: MessageFrame): void {
    this.#queue.push(message);
    if (!this.#isOpen) return;
    this.#lines.lifecycle(message, 'queued');
    this.#turns.begin();
  }

  /** A task has ended: the model hears of it in a turn of its own, or with the results of the running tools. */
  #hear(news: TaskNews): void {
    this.#queue.push(newsMessage(news));
    this.#turns.begin();
  }

  /** Ends the running turn. The queued messages follow, unless they are to be dropped. */
  interrupt(dropsQueue = false): { still_queued: string[]; cancelled?: string[] } {
    this.#turns.interrupt();
    // As in the CLI: commands in the background go on, subagents do not.
    void this.tasks.stopAll(({ isBackgrounded, start }) => isBackgrounded && start.type === 'local_agent');
    const { ids } = this.#queue;
    if (!dropsQueue) return { still_queued: ids };
    this.#queue.withdraw();
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
    this.#window ??= windowFor(this.#config, this.settings.effective, this.#start.env);
    return this.#window;
  }

  /** What the model reads. */
  get messages(): readonly MessageParam[] {
    return this.#transcript?.messages ?? [];
  }

  /** Undefined: there is no workspace. */
  async files(): Promise<ConversationFiles | undefined> {
    if (!this.#isOpen) await this.#opening;
    return this.#files;
  }

  get sessionId(): string {
    return this.#lines.sessionId;
  }

  get cwd(): string {
    return this.#start.cwd;
  }

  /** Input has ended. The host's hooks only run while it can answer; those of the settings always do. */
  end(isHostGone = false, limitMs?: number): Promise<void> {
    return this.#promptHooks.ended(isHostGone, limitMs);
  }

  /** Resolves when nothing is left to do. */
  async settled(): Promise<void> {
    await this.#opening;
    await this.#turns.settled();
  }

  async close(): Promise<void> {
    await Promise.all([this.#turns.close(), this.tools.close(), this.#hooks.close()]);
  }

  #turnParts(): TurnParts {
    if (this.#transcript === undefined) throw new Error('The conversation is not open yet.');
    return ledBy(this.subagents.leader, {
      conversation: this,
      config: this.#config,
      start: this.#start,
      lines: this.#lines,
      hooks: this.#hooks,
      queue: this.#queue,
      denials: this.#turns.denials,
      initialize: this.#initialize,
      transcript: this.#transcript,
      history: this.#history,
      middleware: this.#middleware,
      remember: (...said) => this.#remember(...said),
      warn: (text) => this.#warnings.addOnce(text),
      window: this.window,
      knowledge: this.knowledge,
    });
  }

  #remember(message: MessageParam, lines?: readonly string[], deferred?: ToolUseBlock[]): void {
    this.#transcript?.add(message, lines, this.model.name, deferred);
  }
}
