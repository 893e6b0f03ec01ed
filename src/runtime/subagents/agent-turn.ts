import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { MessageParam, UserContentBlock } from '../../protocol/wire/content.js';
import type { AgentOutput } from '../../protocol/wire/tools/work.js';
import { windowFor } from '../context/context-window.js';
import type { Lines } from '../conversation/lines.js';
import type { Hooks } from '../hooks/hook-runner.js';
import type { AgentPlaces } from '../platform/platform.js';
import { DEFAULT_DEFER_ABOVE, DEFAULT_MAX_TOKENS } from '../start/runtime-config.js';
import type { Transcript } from '../transcript/transcript.js';
import { RequestHistory } from '../turn/history-policy.js';
import { ModelChoice } from '../turn/model-choice.js';
import type { TurnParts } from '../turn/new-turn.js';
import { brokenTurn, type TurnOutcome } from '../turn/turn-record.js';
import { agentPermissions } from './agent-permissions.js';
import { promptOf } from './agent-prompt.js';
import { type AgentCallInput, agentTool } from './agent-tool.js';
import { AgentUsage } from './agent-usage.js';
import type { KnownAgent } from './known-agent.js';
import { SubagentTools } from './subagent-tools.js';
import type { Caller, SubagentSurroundings, Subagents } from './subagents.js';

type Completed = Extract<AgentOutput, { status: 'completed' }>;

/** What a subagent works with. */
export interface AgentParts {
  readonly turn: TurnParts;
  readonly hooks: Hooks;
  /** Where the conversation keeps what does not fit into it; undefined without a workspace. */
  places(): Promise<AgentPlaces> | undefined;
  /** The texts of the skills that it begins with. */
  skills(signal: AbortSignal): Promise<string[]>;
  /** The last text that it has said. */
  lastWords(): string;
  /** Tokens of its last request and the answer. */
  lastTokens(): number;
  reportedUsage(): Completed['usage'];
  failed(text: string): TurnOutcome;
  /** Resolves when nothing is left of it, and its transcript is stored. */
  close(): Promise<void>;
}

export interface AgentPartsRequest {
  readonly surroundings: SubagentSurroundings;
  readonly agents: Subagents;
  readonly agent: KnownAgent;
  readonly id: string;
  readonly depth: number;
  readonly call: { readonly toolUseId: string; readonly description: string };
  readonly model: ModelChoice;
  readonly lines: Lines;
  /** The agent, as those that it calls know it. */
  readonly self: Caller;
  takeNews(): UserContentBlock[];
  onMessage(message: MessageParam): void;
}

/** Claude's short names are understood by everybody who writes definitions, but not by every model. */
const SHORT_NAMES: ReadonlySet<string> = new Set(['sonnet', 'opus', 'haiku', 'fable']);

/** The model of a call, of the definition, or of the caller. Throws if the runtime must not or cannot use it. */
export function agentModel(
  { conversation, turnParts, warn }: SubagentSurroundings,
  agent: KnownAgent,
  input: Pick<AgentCallInput, 'effort' | 'model'>,
): ModelChoice {
  const { config, start, lines } = turnParts();
  const inherited = conversation.model.current;
  let wanted = input.model ?? agent.model ?? 'inherit';
  if (SHORT_NAMES.has(wanted) && config.model.accepts?.(wanted) === false) {
    warn(
      `The agent "${agent.name}" asks for the model "${wanted}", which this runtime does not have; ${inherited} answers instead.`,
    );
    wanted = 'inherit';
  }
  const flags = {
    ...start.flags,
    model: wanted === 'inherit' ? inherited : wanted,
    effort: (input.effort ?? agent.effort ?? start.flags.effort) as typeof start.flags.effort,
  };
  const maxTokens = config.maxTokens ?? DEFAULT_MAX_TOKENS;
  const choice = new ModelChoice(config.model, flags, maxTokens, lines, conversation.settings.modelProblem);
  choice.thinkingTokens = conversation.model.thinkingTokens;
  choice.beginTurn();
  return choice;
}

export async function partsFor(request: AgentPartsRequest): Promise<AgentParts> {
  const { surroundings, agent, id, model, lines } = request;
  const { conversation } = surroundings;
  const main = surroundings.turnParts();
  const { settings, knowledge } = conversation;
  const usage = new AgentUsage(conversation.usage);
  const tools = new SubagentTools({
    main: conversation.tools,
    agent,
    agentTool: request.depth < LIMITS.maxSubagentDepth ? agentTool(request.agents, request.self) : undefined,
    deferAbove: main.config.deferAbove ?? DEFAULT_DEFER_ABOVE,
  });
  await tools.open(await knowledge.readerForAgent());
  const transcript = main.transcript.ofSubagent(id, metadataOf(request));
  const hooks = agentHooks(main, agent, id, transcript);
  const remember = (message: MessageParam, shown?: readonly string[]): void => {
    transcript.add(message, shown, model.name);
    request.onMessage(message);
  };
  const { systemPrompt: _given, appendSystemPrompt: _added, maxTurns: _limit, ...flags } = main.start.flags;
  const turn: TurnParts = {
    ...main,
    conversation: {
      model,
      tasks: conversation.tasks,
      permissions: agentPermissions(conversation.permissions, id, agent),
      tools,
      usage,
    },
    agentId: id,
    start: { ...main.start, flags: { ...flags, includePartialMessages: false, maxTurns: agent.maxTurns } },
    lines,
    hooks,
    queue: { takeAll: () => request.takeNews() },
    initialize: { systemPrompt: promptOf(agent) },
    transcript,
    history: new RequestHistory(main.config.historyPolicy),
    remember,
    window: windowFor(main.config, settings.effective, main.start.env),
    knowledge: {
      environment: knowledge.environment,
      memoryText: agent.omitClaudeMd === true ? undefined : knowledge.memoryText,
      skillList: knowledge.skillList,
      style: undefined,
      isCommand: () => false,
      renewMemory: async () => {},
    },
  };
  return {
    turn,
    hooks,
    places: () => conversation.tools.places(),
    skills: (signal) => skillTexts(agent, surroundings, signal),
    lastWords: () => lastWords(transcript),
    lastTokens: () => tokensOf(usage),
    reportedUsage: () => reportedUsage(usage),
    failed: (text) => brokenTurn(text),
    close: async () => {
      await tools.close();
      await transcript.endTurn().catch((error) => surroundings.warn(notStored(agent, error)));
    },
  };
}

/** Hooks in a subagent hear whose events they are; the end of its turn is an event of its own. */
function agentHooks(main: TurnParts, { name }: KnownAgent, id: string, { key }: Transcript): Hooks {
  const agent = { agent_id: id, agent_type: name };
  const agent_transcript_path = main.config.platform.transcriptPath(key);
  return {
    run: (call) => {
      if (call.event !== 'Stop') return main.hooks.run({ ...call, agent });
      const fields = { ...call.fields, agent_transcript_path };
      return main.hooks.run({ ...call, event: 'SubagentStop', subject: name, fields, agent });
    },
  };
}

function metadataOf({ agent, depth, call }: AgentPartsRequest): Record<string, unknown> {
  return {
    agentType: agent.name,
    isBuiltIn: agent.source === 'built-in',
    description: call.description,
    toolUseId: call.toolUseId,
    spawnDepth: depth,
  };
}

/** A skill that is not there is no reason to do nothing: the task says what is wanted. */
async function skillTexts(
  { name, skills = [] }: KnownAgent,
  { expander, warn }: SubagentSurroundings,
  signal: AbortSignal,
): Promise<string[]> {
  const texts: string[] = [];
  for (const skill of skills) {
    try {
      texts.push(await expander.skillText(skill, signal));
    } catch (error) {
      if (signal.aborted) throw error;
      warn(`The agent "${name}" begins without its skill "${skill}": ${messageOf(error)}`);
    }
  }
  return texts;
}

function lastWords({ messages }: Transcript): string {
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'assistant') continue;
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    if (texts.length > 0) return texts.join('');
  }
  return '';
}

function tokensOf({ lastRequest }: AgentUsage): number {
  if (lastRequest === undefined) return 0;
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = lastRequest;
  return input_tokens + output_tokens + cache_creation_input_tokens + cache_read_input_tokens;
}

function reportedUsage({ lastRequest }: AgentUsage): Completed['usage'] {
  const { input_tokens = 0, output_tokens = 0 } = lastRequest ?? {};
  return {
    input_tokens,
    output_tokens,
    cache_creation_input_tokens: lastRequest?.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: lastRequest?.cache_read_input_tokens ?? 0,
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
  };
}

function notStored({ name }: KnownAgent, error: unknown): string {
  return `What the agent "${name}" did could not be stored: ${messageOf(error)}`;
}
