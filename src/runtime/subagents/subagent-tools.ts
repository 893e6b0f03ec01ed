import { matchesTool, parseRule } from '../../protocol/permissions/permission-rules.js';
import { currentToolName } from '../../protocol/wire/names.js';
import type { ModelTool } from '../model.js';
import type { AgentTools } from '../tools/agent-tools.js';
import type { ResultBounds } from '../tools/result-bounds.js';
import { READ_ON } from '../tools/result-bounds.js';
import { byToolName, definition } from '../tools/tool-definition.js';
import type { RuntimeTool } from '../tools/tool-port.js';
import { ToolSearch } from '../tools/tool-search.js';
import { NO_TOOLS, type ToolSet } from '../tools/tool-source.js';
import type { TurnTools } from '../turn/new-turn.js';
import type { KnownAgent } from './known-agent.js';

/** They are about the conversation with the user, or about its answer. */
const ONLY_OF_THE_MAIN_AGENT: ReadonlySet<string> = new Set([
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'StructuredOutput',
]);

/** Whether a definition gives an agent this tool: all unless it names some, and none that it takes away. */
export function hasTool(
  { tools, disallowedTools = [] }: Pick<KnownAgent, 'disallowedTools' | 'tools'>,
  tool: RuntimeTool,
): boolean {
  const isNamedIn = (names: readonly string[]): boolean =>
    names.some((name) => name.trim() === '*' || matchesTool(parseRule(name), tool, 'deny'));
  return (tools === undefined || isNamedIn(tools)) && !isNamedIn(disallowedTools);
}

/** Which agents it may call: `Agent(a, b)` in its `tools`. Undefined: any. */
export function callableAgents({ tools }: Pick<KnownAgent, 'tools'>): readonly string[] | undefined {
  const rules = (tools ?? []).map(parseRule).filter(({ tool }) => currentToolName(tool) === 'Agent');
  if (rules.length === 0 || rules.some(({ specifier }) => specifier === undefined)) return undefined;
  return rules.flatMap(({ specifier = '' }) => specifier.split(',').map((name) => name.trim()));
}

interface SubagentToolsParts {
  readonly main: AgentTools;
  readonly agent: KnownAgent;
  /** The tool by which it calls other agents; undefined: it cannot. */
  readonly agentTool: RuntimeTool | undefined;
  readonly deferAbove: number;
}

/** The tools of one subagent: those of the conversation that its definition gives it, over the same connections. */
export class SubagentTools implements TurnTools {
  /** Only the conversation's own answer has a structure. */
  readonly structured = undefined;
  readonly #parts: SubagentToolsParts;
  readonly #search: ToolSearch;
  #builtIns: ToolSet = NO_TOOLS;
  #all: readonly RuntimeTool[] = [];
  #definitions: readonly ModelTool[] = [];
  #version = '';

  constructor(parts: SubagentToolsParts) {
    this.#parts = parts;
    this.#search = new ToolSearch(() => this.#offered(), parts.deferAbove);
  }

  /** Called once, before the first turn: what works on files remembers what this agent has seen of them. */
  async open(onRead: Parameters<AgentTools['openBuiltInsFor']>[0]['onRead']): Promise<void> {
    const { main, agent } = this.#parts;
    const named = new Set((agent.tools ?? []).map((text) => parseRule(text).tool));
    this.#builtIns = await main.openBuiltInsFor({
      isNamed: (name) => named.has(name),
      offers: (name) => this.find(name) !== undefined,
      onRead,
    });
  }

  get hub(): AgentTools['hub'] {
    return this.#parts.main.hub;
  }

  get bounds(): ResultBounds {
    return this.#parts.main.bounds;
  }

  find(name: string): RuntimeTool | undefined {
    if (name === READ_ON && this.bounds.hasCut) return this.bounds.reader;
    if (name === this.#search.tool.name) return this.#search.tool;
    return this.#offered().find((tool) => tool.name === name || tool.aliases?.includes(name) === true);
  }

  definitions(): readonly ModelTool[] {
    const offered = this.#offered();
    const reader = this.bounds.hasCut && !offered.includes(this.bounds.reader) ? [this.bounds.reader] : [];
    this.#definitions = this.#search
      .select([...reader, ...offered])
      .map(definition)
      .sort(byToolName);
    return this.#definitions;
  }

  /** Resolves when nothing is left of what its own tools have begun. */
  async close(): Promise<void> {
    await this.#builtIns.close?.();
  }

  #offered(): readonly RuntimeTool[] {
    const { main, agent, agentTool } = this.#parts;
    if (this.#version === main.version) return this.#all;
    this.#version = main.version;
    this.#all = main
      .offeredWith(this.#builtIns)
      .filter((tool) => !ONLY_OF_THE_MAIN_AGENT.has(tool.name) && hasTool(agent, tool))
      .flatMap((tool) => (tool.name === 'Agent' ? (agentTool ?? []) : tool));
    return this.#all;
  }
}
