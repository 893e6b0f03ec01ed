import type { AgentDefinition } from '../../protocol/wire/agents.js';
import type { AgentInfo } from '../../protocol/wire/control-payloads.js';
import type { InitializeRequest } from '../../protocol/wire/control-requests.js';
import { currentToolName } from '../../protocol/wire/names.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { AgentConversation } from '../conversation/conversation.js';
import type { PromptExpander } from '../knowledge/prompt-expander.js';
import type { PlacedConfig, RuntimeStart } from '../start/runtime-config.js';
import type { TaskNews } from '../tasks/task.js';
import { isNamed } from '../tools/free-tools.js';
import type { RuntimeTool } from '../tools/tool-port.js';
import type { ToolSet } from '../tools/tool-source.js';
import type { TurnParts } from '../turn/new-turn.js';
import { agentTool, meansAgent } from './agent-tool.js';
import { DEFAULT_AGENTS } from './default-agents.js';
import { agentInfo, byName, firstOfEachName, givenAgents, type KnownAgent } from './known-agent.js';
import { callableAgents } from './subagent-tools.js';
import { emptyStats, type SubagentStats } from './tally.js';

/** The agent that calls another one: the main one, or itself a subagent. */
export interface Caller {
  /** Undefined: the main agent. */
  readonly id: string | undefined;
  /** 0: the main agent. */
  readonly depth: number;
  /** The only agents that it may call; undefined: any. */
  readonly callable: readonly string[] | undefined;
  /** Notes the tools that an agent has used which it waited for. */
  noteTools(names: Iterable<string>): void;
  /** Tells it of the end of what it has started in the background; false: it has ended itself. */
  tell?(news: TaskNews): boolean;
}

/** What subagents need of their conversation. */
export interface SubagentSurroundings {
  readonly conversation: AgentConversation;
  readonly config: PlacedConfig;
  readonly start: RuntimeStart;
  readonly expander: Pick<PromptExpander, 'skillText'>;
  /** Those of the main agent. */
  turnParts(): TurnParts;
  workspace(): Workspace | undefined;
  /** Tells the main agent of the end of a task. */
  hear(news: TaskNews): void;
  warn(text: string): void;
}

const NO_AGENTS: readonly KnownAgent[] = [];

/** The agents of a conversation: who they are, which one leads it, and what has become of those that were called. */
export class Subagents implements ToolSet {
  readonly surroundings: SubagentSurroundings;
  /** Lines of subagents are shown as a whole: the host has asked for their words. */
  isForwarded = false;
  #given: readonly KnownAgent[] = NO_AGENTS;
  #changes = 0;
  #stats: SubagentStats | undefined;
  #tool: RuntimeTool | undefined;
  #starting: Promise<unknown> = Promise.resolve();
  readonly #leader: string | undefined;

  constructor(surroundings: SubagentSurroundings) {
    const { conversation, start } = surroundings;
    this.surroundings = surroundings;
    this.#leader = start.flags.agent ?? conversation.settings.effective.agent;
    if (start.flags.agents !== undefined) this.#give(start.flags.agents);
  }

  get version(): number {
    return this.#changes + this.surroundings.conversation.knowledge.version;
  }

  /** The tool that calls agents, where there is somebody to call. */
  tools(): RuntimeTool[] {
    return this.#isOffered ? [this.#mainTool()] : [];
  }

  /** Registers those of the host; a second call replaces them. */
  initialize({ agents, forwardSubagentText }: InitializeRequest): void {
    if (agents !== undefined) this.#give(agents);
    this.isForwarded = forwardSubagentText ?? this.isForwarded;
  }

  #give(definitions: Readonly<Record<string, AgentDefinition>>): void {
    this.#given = givenAgents(definitions);
    this.#changes += 1;
  }

  /** For results; undefined: nobody has been called, and nobody can be. */
  get stats(): SubagentStats | undefined {
    return this.#stats === undefined && !this.#isOffered ? undefined : structuredClone(this.tally);
  }

  get tally(): SubagentStats {
    this.#stats ??= emptyStats();
    return this.#stats;
  }

  /** Those that are called together start in the order of their calls. */
  inOrder(ready: Promise<unknown>, start: () => void): Promise<void> {
    const started = Promise.all([ready, this.#starting]).then(start);
    this.#starting = started.catch(() => {});
    return started;
  }

  /** As hosts list them. */
  get infos(): AgentInfo[] {
    return this.#all().map(agentInfo);
  }

  /** The agent that leads the conversation itself, if the host has named one that exists. */
  get leader(): KnownAgent | undefined {
    return this.#leader === undefined ? undefined : this.#find(this.#leader);
  }

  /** The name that the host has given, whether or not there is such an agent. */
  get wantedLeader(): string | undefined {
    return this.#leader;
  }

  /** Those that the caller may choose from. */
  offered(caller: Caller): KnownAgent[] {
    return this.#all().filter(
      (agent) => isCallable(caller, agent.name) && this.#denial(agent.name) === undefined,
    );
  }

  /** Throws if there is no such agent, or the caller must not call it. */
  called(name: string, caller: Caller): KnownAgent {
    const denial = this.#denial(name);
    if (denial !== undefined) throw new Error(`The agent "${name}" is denied by the rule "${denial}".`);
    const agent = this.#find(name);
    if (agent !== undefined && isCallable(caller, agent.name)) return agent;
    const names = this.offered(caller).map((each) => each.name);
    throw new Error(`There is no agent "${name}". The agents are: ${names.join(', ')}.`);
  }

  knowsModel(name: string): boolean {
    return this.surroundings.config.model.accepts?.(name) !== false;
  }

  #mainTool(): RuntimeTool {
    this.#tool ??= agentTool(this, {
      id: undefined,
      depth: 0,
      callable: this.leader === undefined ? undefined : callableAgents(this.leader),
      noteTools: () => {},
    });
    return this.#tool;
  }

  /** A request stays small unless there is work to divide, or somebody asks for it. */
  get #isOffered(): boolean {
    const { config, start } = this.surroundings;
    return config.workspace !== undefined || this.#given.length > 0 || isNamed('Agent', start.flags);
  }

  #all(): KnownAgent[] {
    const { agents } = this.surroundings.conversation.knowledge;
    // A host that names a leader finds out from the list whether there is such an agent.
    const own = this.#isOffered || this.#leader !== undefined ? DEFAULT_AGENTS : [];
    return firstOfEachName([...this.#given, ...agents, ...own]).sort(byName);
  }

  /** An agent of a plugin is also known by its short name. */
  #find(name: string): KnownAgent | undefined {
    const all = this.#all();
    return all.find((agent) => agent.name === name) ?? all.find((agent) => agent.name.endsWith(`:${name}`));
  }

  /** The rule `Agent(name)` that forbids it. */
  #denial(name: string): string | undefined {
    const { rules } = this.surroundings.conversation.permissions.book;
    const denial = rules.find(
      ({ kind, rule }) =>
        kind === 'deny' &&
        currentToolName(rule.tool) === 'Agent' &&
        rule.specifier !== undefined &&
        meansAgent(rule.specifier, name),
    );
    return denial === undefined ? undefined : `Agent(${denial.rule.specifier})`;
  }
}

function isCallable({ callable }: Caller, name: string): boolean {
  return callable?.includes(name) ?? true;
}
