import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { ToolUseBlock } from '../../protocol/wire/content.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { Lines } from '../conversation/lines.js';
import type { StoppedBy, Task, TaskNews } from '../tasks/task.js';
import { taskNotice } from '../tasks/task-notice.js';
import type { ToolOutcome } from '../tools/tool-port.js';
import type { ModelChoice } from '../turn/model-choice.js';
import { newTurn } from '../turn/new-turn.js';
import type { TurnOutcome } from '../turn/turn-record.js';
import { agentLines, marked, type ShownAgent } from './agent-lines.js';
import { AgentOutputFile } from './agent-output.js';
import { AgentProgress } from './agent-progress.js';
import { completed, endedEarly, interruptedCall, launched, summaryOf } from './agent-report.js';
import { checkRoom } from './agent-room.js';
import type { SubagentCall } from './agent-tool.js';
import { type AgentParts, agentModel, partsFor } from './agent-turn.js';
import { callableAgents } from './subagent-tools.js';
import { countStart } from './tally.js';

/** Runs an agent for a call: to its end, or only to its start if the call does not wait. */
export async function runSubagent(given: SubagentCall): Promise<ToolOutcome> {
  const { agents, agent, caller } = given;
  checkRoom(agents, caller);
  const model = agentModel(agents.surroundings, agent, given.input);
  const run = new SubagentRun(given, model);
  return run.begin();
}

/** One agent that works on a task: its own history, with the turn machinery of every agent. */
class SubagentRun implements ShownAgent {
  readonly id = `a${clock.uuid().replaceAll('-', '').slice(0, 16)}`;
  readonly depth: number;
  readonly #given: SubagentCall;
  readonly #model: ModelChoice;
  readonly #lines: Lines;
  readonly #cut = new AbortController();
  readonly #progress = new AgentProgress();
  readonly #news: TaskNews[] = [];
  #parts: AgentParts | undefined;
  #task: Task | undefined;
  #output: AgentOutputFile | undefined;
  #stoppedBy: StoppedBy | undefined;
  #hasEnded = false;
  /** Resolves when nothing is left of it. */
  #finished: Promise<unknown> = Promise.resolve();
  #background: () => void = () => {};

  constructor(given: SubagentCall, model: ModelChoice) {
    this.#given = given;
    this.#model = model;
    this.depth = given.caller.depth + 1;
    this.#lines = agentLines(given.agents.surroundings.turnParts().lines, this);
  }

  get type(): string {
    return this.#given.agent.name;
  }

  get toolUseId(): string {
    return this.#given.call.toolUseId;
  }

  get description(): string {
    return this.#given.input.description;
  }

  get isBackgrounded(): boolean {
    return this.#task?.isBackgrounded === true;
  }

  get isMuted(): boolean {
    return this.#given.call.signal.aborted;
  }

  get isForwarded(): boolean {
    return this.#given.agents.isForwarded;
  }

  async begin(): Promise<ToolOutcome> {
    await this.#given.agents.inOrder(this.#prepare(), () => this.#start());
    const working = this.#work();
    this.#finished = working.catch(() => {});
    return this.isBackgrounded ? this.#launched() : this.#waited(working);
  }

  async #prepare(): Promise<void> {
    const { agents, agent } = this.#given;
    const { surroundings } = agents;
    this.#parts = await partsFor({
      surroundings,
      agents,
      agent,
      id: this.id,
      depth: this.depth,
      call: { toolUseId: this.toolUseId, description: this.description },
      model: this.#model,
      lines: this.#lines,
      self: {
        id: this.id,
        depth: this.depth,
        callable: callableAgents(agent),
        noteTools: (names) => this.#progress.noteTools(names),
        tell: (news) => this.#hear(news),
      },
      takeNews: () => this.#news.splice(0).map(({ text }) => ({ type: 'text', text })),
      onMessage: (message) => this.#output?.add(message),
    });
    const { tools } = surroundings.conversation;
    this.#output = await AgentOutputFile.open(this.id, surroundings.workspace(), this.#parts.places, tools);
  }

  #start(): void {
    const { agents, agent, caller, input, call } = this.#given;
    call.signal.throwIfAborted();
    const isBackground = agent.background === true || input.run_in_background !== false;
    countStart(agents.tally, {
      type: agent.name,
      depth: this.depth,
      isBackground,
      requested: input.run_in_background,
    });
    this.#task = agents.surroundings.conversation.tasks.start({
      id: this.id,
      type: 'local_agent',
      isBackgrounded: isBackground,
      outputFile: this.#output?.path ?? '',
      fields: {
        tool_use_id: this.toolUseId,
        description: this.description,
        subagent_type: agent.name,
        spawn_depth: this.depth,
        ...(caller.id === undefined ? {} : { parent_task_id: caller.id }),
        prompt: input.prompt,
      },
      ...(caller.tell === undefined ? {} : { tell: (news) => caller.tell?.(news) === true }),
      onBackgrounded: () => this.#background(),
      output: () => this.#output?.tail() ?? { output: '', total_bytes: 0, truncated: false },
      stop: (by) => this.#stop(by),
    });
  }

  /** To its end, unless it is sent to the background. */
  async #waited(working: Promise<ToolOutcome>): Promise<ToolOutcome> {
    const { signal } = this.#given.call;
    const interrupt = (): void => {
      if (!this.isBackgrounded) this.#cut.abort();
    };
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) interrupt();
    const backgrounded = new Promise<ToolOutcome>((resolve) => {
      this.#background = () => resolve(this.#launched());
    });
    try {
      return await Promise.race([working, backgrounded]);
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  }

  #launched(): ToolOutcome {
    return launched({
      agentId: this.id,
      description: this.description,
      resolvedModel: this.#model.fullName,
      prompt: this.#given.input.prompt,
      outputFile: this.#output?.path ?? '',
      canReadOutputFile: this.#output?.isReadable === true,
    });
  }

  /** Rejects with the reason if it fails; in the background nobody hears that. */
  async #work(): Promise<ToolOutcome> {
    const parts = this.#parts as AgentParts;
    let outcome: TurnOutcome;
    try {
      await this.#tellTask(parts);
      outcome = await newTurn(parts.turn, this.#cut.signal).run();
    } catch (error) {
      outcome = parts.failed(messageOf(error));
    } finally {
      this.#hasEnded = true;
      await parts.close();
    }
    try {
      return this.#ended(outcome, parts);
    } finally {
      this.#passOnNews();
    }
  }

  /** What it reads first: its task, and what hooks and skills add to it. */
  async #tellTask({ turn, hooks, skills }: AgentParts): Promise<void> {
    const { input, agent } = this.#given;
    const { signal } = this.#cut;
    const starting = hooks.run({ event: 'SubagentStart', subject: agent.name, fields: {}, signal });
    const task = { type: 'text' as const, text: input.prompt };
    const line = { type: 'user', message: { role: 'user', content: [task] }, parent_tool_use_id: null };
    if (!this.isBackgrounded && (this.depth === 1 || this.isForwarded)) {
      const { lines } = this.#given.agents.surroundings.turnParts();
      lines.send(marked({ ...line, timestamp: new Date(clock.now()).toISOString() }, this) as never);
    }
    const { contexts } = await starting;
    signal.throwIfAborted();
    const added = [...(await skills(signal)), ...contexts].map((text) => ({ type: 'text' as const, text }));
    turn.remember({ role: 'user', content: [task, ...added] });
  }

  /** The frames about its end, and what the call returns. */
  #ended(outcome: TurnOutcome, parts: AgentParts): ToolOutcome {
    const { agents, agent, caller } = this.#given;
    if (this.#stoppedBy !== undefined || this.#cut.signal.aborted) return interruptedCall();
    const isLimited = outcome.subtype === 'error_max_turns';
    if (outcome.isError && !isLimited) {
      const { text, end } = endedEarly(outcome, this.description, agents.tally);
      this.#end(end, text);
      if (end.status === 'stopped') return interruptedCall();
      throw new Error(text);
    }
    const report = {
      text: isLimited ? parts.lastWords() : outcome.text,
      toolsUsed: [...this.#progress.used].sort(),
      turnLimit: isLimited ? agent.maxTurns : undefined,
    };
    const usage = this.#progress.usage(parts.lastTokens());
    const { stats } = this.#progress;
    agents.tally.completed += 1;
    caller.noteTools(this.#progress.used);
    this.#end({ status: 'completed', summary: summaryOf(report), usage }, summaryOf(report));
    return completed(report, {
      prompt: this.#given.input.prompt,
      agentId: this.id,
      agentType: agent.name,
      resolvedModel: this.#model.fullName,
      totalDurationMs: usage.duration_ms,
      totalTokens: usage.total_tokens,
      totalToolUseCount: usage.tool_uses,
      usage: parts.reportedUsage(),
      ...(stats === undefined ? {} : { toolStats: stats }),
    });
  }

  /** `result`: what the model reads of it if nobody waits for the call. */
  #end(end: Omit<Parameters<Task['end']>[0], 'tells'>, result: string): void {
    const task = this.#task as Task;
    const summary = `The agent "${this.description}" ${end.status === 'failed' ? 'has failed' : 'has ended'}`;
    const notice = { status: end.status, summary, result, usage: end.usage };
    task.end({ ...end, ...(task.isBackgrounded ? { tells: taskNotice(task.start, notice) } : {}) });
  }

  /** One that nobody waits for is told of at once; the others when their caller has been told. */
  async #stop(by: StoppedBy): Promise<void> {
    const task = this.#task as Task;
    const isFirst = this.#stoppedBy === undefined && !this.#hasEnded;
    this.#stoppedBy ??= by;
    if (isFirst) this.#given.agents.tally.killed[by] += 1;
    if (isFirst && (task.isBackgrounded || by !== 'system')) {
      const summary = `The agent "${this.description}" was stopped`;
      const isTold = task.isBackgrounded && by !== 'system';
      const notice = { status: 'killed' as const, summary, result: undefined, usage: undefined };
      task.end({
        status: 'stopped',
        summary: this.description,
        ...(isTold ? { tells: taskNotice(task.start, notice), isForLater: by === 'parent' } : {}),
      });
    }
    this.#cut.abort();
    await this.#finished;
  }

  /** Called with each call that it makes. */
  onCall(block: ToolUseBlock, line: MessageFrame): void {
    const { agent, agents } = this.#given;
    const tool = this.#parts?.turn.conversation.tools.find(block.name);
    if (tool !== undefined) this.#progress.noteTools([tool.name]);
    const { cwd } = agents.surroundings.turnParts().start;
    this.#task?.progress({
      tool_use_id: this.toolUseId,
      subagent_type: agent.name,
      ...this.#progress.called(block, line, { cwd, description: this.description }),
    });
  }

  /** Its own background work has ended: it reads that with its next results. */
  #hear(news: TaskNews): boolean {
    if (this.#hasEnded) return false;
    this.#news.push(news);
    return true;
  }

  /** What it has not read any more is for the main agent. */
  #passOnNews(): void {
    for (const news of this.#news.splice(0)) this.#given.agents.surroundings.hear(news);
  }
}
