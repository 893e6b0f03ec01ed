import type {
  CacheControl,
  MessageParam,
  ToolUseBlock,
  UserContentBlock,
} from '../../protocol/wire/content.js';
import type { InitializeRequest } from '../../protocol/wire/control-requests.js';
import type { SDKPermissionDenial } from '../../protocol/wire/messages/index.js';
import { hostToolName, SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../protocol/wire/names.js';
import { Compaction } from '../context/compaction.js';
import type { ContextWindow } from '../context/context-window.js';
import type { AgentConversation } from '../conversation/conversation.js';
import type { Lines } from '../conversation/lines.js';
import type { MessageQueue } from '../conversation/message-queue.js';
import type { Hooks } from '../hooks/hook-runner.js';
import type { Knowledge } from '../knowledge/knowledge.js';
import { reminder, withTextAtStart } from '../knowledge/memory-text.js';
import type { McpHub } from '../mcp/hub.js';
import type { ModelRequest, ModelTool } from '../model.js';
import type { TurnPermissions } from '../permissions/asking-agent.js';
import { cacheMark, type PlacedConfig, type RuntimeStart } from '../start/runtime-config.js';
import type { AgentTools } from '../tools/agent-tools.js';
import type { RuntimeTool } from '../tools/tool-port.js';
import type { Transcript } from '../transcript/transcript.js';
import { DurableCalls } from './durable-calls.js';
import type { RequestHistory } from './history-policy.js';
import { showRetry } from './model-answer.js';
import { ownPrompt } from './own-prompt.js';
import { runTool, type ToolRunDependencies, type ToolRunResult } from './tool-run.js';
import { Turn } from './turn.js';
import type { TurnDependencies } from './turn-dependencies.js';
import { TurnLimits } from './turn-record.js';
import type { TurnUsage } from './usage.js';

/** What a turn needs from its conversation, in addition to its public parts. */
export interface TurnParts {
  conversation: Pick<AgentConversation, 'model' | 'tasks'> & {
    readonly permissions: TurnPermissions;
    readonly tools: TurnTools;
    readonly usage: TurnUsage;
  };
  /** The subagent whose turn it is; undefined: the main one's. */
  agentId?: string | undefined;
  config: PlacedConfig;
  start: RuntimeStart;
  lines: Lines;
  hooks: Hooks;
  queue: Pick<MessageQueue, 'takeAll'>;
  denials: SDKPermissionDenial[];
  initialize: InitializeRequest;
  transcript: Transcript;
  history: RequestHistory;
  middleware: TurnDependencies['middleware'];
  remember: TurnDependencies['remember'];
  warn: TurnDependencies['warn'];
  window: ContextWindow;
  knowledge: TurnKnowledge;
}

export type TurnTools = Pick<AgentTools, 'bounds' | 'definitions' | 'find' | 'structured'> & {
  readonly hub: Pick<McpHub, 'instructions' | 'relisted'>;
};

export type TurnKnowledge = Pick<
  Knowledge,
  'environment' | 'isCommand' | 'memoryText' | 'renewMemory' | 'skillList' | 'style'
>;

export function newTurn(parts: TurnParts, signal: AbortSignal): Turn {
  const { config, lines, hooks, queue, denials, transcript, history, middleware, remember } = parts;
  const { model, permissions, tools, usage } = parts.conversation;
  const { flags } = parts.start;
  const { maxTurns, maxBudgetUsd, includePartialMessages } = flags;
  const { structured } = tools;
  const { window } = parts;
  return new Turn(
    {
      model: config.model,
      lines,
      hooks,
      permissions,
      middleware,
      // What a subagent does is part of a call, and no other program goes on with it.
      durable:
        config.journal === undefined || parts.agentId !== undefined
          ? undefined
          : new DurableCalls(config.journal, transcript),
      bounds: tools.bounds,
      usage,
      remember,
      structured,
      limits: new TurnLimits({ maxTurns, maxBudgetUsd, model: () => model.current }, usage, structured),
      includePartialMessages,
      warn: parts.warn,
      sessionId: transcript.sessionId,
      expectListeners: config.platform.expectListeners,
      ready: () => tools.hub.relisted(),
      find: (name) => tools.find(name),
      hasFallback: () => model.hasFallback,
      fallBack: (error) => model.fallBack(error),
      makeRoom: (running, overflow) => makeRoom(parts, running, overflow),
      request: async (running) => {
        const { messages } = transcript;
        const conversation = { messages, model: model.current, lastRequest: usage.lastRequest };
        const selected = await history.messages(conversation, running);
        window.asking(messages.length);
        return requestOf(parts, selected);
      },
      modelSize: async () => {
        await window.learn(model.current);
        const { max_tokens: maxOutputTokens } = model.parameters();
        return { contextWindow: window.saidFor(model.current), maxOutputTokens };
      },
      backgroundTasks: () => parts.conversation.tasks.summariesFor(parts.agentId),
      endSubagents: () => parts.conversation.tasks.endWaitedFor(parts.agentId),
      takeQueued: () => queue.takeAll((content) => parts.knowledge.isCommand(content)),
      noteDenial: ({ block: { id, name }, input }) =>
        denials.push({
          tool_name: hostToolName(name),
          tool_use_id: id,
          tool_input: input as SDKPermissionDenial['tool_input'],
        }),
    },
    signal,
  );
}

/** A call as the model could make it; but what would have to be asked about is refused. */
export function runUnasked(
  call: ToolUseBlock,
  parts: TurnParts,
  signal: AbortSignal,
): Promise<ToolRunResult> {
  const { hooks, lines, middleware } = parts;
  const { tools, permissions } = parts.conversation;
  const unasked: ToolRunDependencies['permissions'] = {
    isRemoved: (tool) => permissions.isRemoved(tool),
    forbids: (tool, access) => permissions.forbids(tool, access),
    decide: (question) => permissions.decide({ ...question, isUnasked: true }),
  };
  const find = (name: string): RuntimeTool | undefined => tools.find(name);
  const { bounds } = tools;
  return runTool(call, undefined, { find, hooks, permissions: unasked, lines, middleware, bounds }, signal);
}

/** Before a request, or after one that was too long. Undefined: there is nothing to be done about that. */
async function makeRoom(
  parts: TurnParts,
  running: AbortSignal,
  isTooLong: boolean,
): Promise<number | undefined> {
  const { window, transcript } = parts;
  const { model, usage } = parts.conversation;
  const { messages } = transcript;
  const { max_tokens } = model.parameters();
  window.sendsWith(fixedOf(parts));
  window.answered(messages, usage.lastRequest);
  await window.lookUp(model.current, messages);
  if (isTooLong) {
    if (!window.isAutomatic) return undefined;
    window.overflowed(messages, max_tokens);
  } else if (!window.isFull(messages, window.limitsFor(model.current, max_tokens))) return 0;
  const before = [...messages];
  const shown = await compactionOf(parts).makeRoom(running);
  if (shown > 0) await parts.knowledge.renewMemory();
  const isSame = before.length === messages.length && before.every((message, at) => message === messages[at]);
  // The same request would be refused again.
  return isTooLong && isSame ? undefined : shown;
}

export function compactionOf(parts: TurnParts): Compaction {
  const { config, lines, hooks, transcript, window, warn } = parts;
  const { model, usage } = parts.conversation;
  window.sendsWith(fixedOf(parts));
  return new Compaction({
    window,
    transcript,
    lines,
    hooks,
    usage,
    model: config.model,
    current: () => ({ name: model.current, maxTokens: model.parameters().max_tokens }),
    request: (messages) => requestOf(parts, messages),
    modelContext: (signal) => ({
      signal,
      warn,
      onRetry: (retry) => showRetry(lines, retry),
      sessionId: transcript.sessionId,
    }),
  });
}

/** What is sent with every request. */
function fixedOf(parts: TurnParts): { system: string[]; tools: readonly ModelTool[] } {
  const { system, tools, atStart } = unchangingParts(parts);
  const texts = [...system.fixed, ...system.changing];
  return { system: atStart === undefined ? texts : [...texts, atStart], tools };
}

function unchangingParts(parts: TurnParts): {
  system: SystemPrompt;
  tools: readonly ModelTool[];
  /** Stands before the first message. */
  atStart: string | undefined;
} {
  const { memoryText, environment } = parts.knowledge;
  // A prompt without what changes from one machine to the next is cached for all of them.
  const moved = parts.initialize.excludeDynamicSections === true ? environment : undefined;
  const texts = [memoryText, moved === undefined ? undefined : reminder(moved)].filter(
    (text) => text !== undefined,
  );
  return {
    system: systemPrompt(parts),
    tools: parts.conversation.tools.definitions(),
    atStart: texts.length === 0 ? undefined : texts.join('\n'),
  };
}

function requestOf(parts: TurnParts, messages: readonly MessageParam[]): ModelRequest {
  const { system, tools, atStart } = unchangingParts(parts);
  const { config, conversation } = parts;
  const told = withTextAtStart(messages, atStart);
  return modelRequest(conversation.model.parameters(), system, tools, told, config.cache);
}

interface SystemPrompt {
  readonly fixed: readonly string[];
  /** What the host says behind the boundary: it may be different every time, and is not cached. */
  readonly changing: readonly string[];
}

/** The parts of the system prompt: the host's or the runtime's own, what is appended, and where the agent works. */
function systemPrompt({ initialize, start, conversation, knowledge }: TurnParts): SystemPrompt {
  const { flags } = start;
  const { tools } = conversation;
  const given =
    initialize.systemPrompt ?? (flags.systemPrompt === undefined ? undefined : [flags.systemPrompt]);
  const own = given ?? ownPrompt(knowledge.environment !== undefined);
  const at = own.indexOf(SYSTEM_PROMPT_DYNAMIC_BOUNDARY);
  const [before, behind] = at === -1 ? [own, []] : [own.slice(0, at), own.slice(at + 1)];
  const added = initialize.appendSystemPrompt ?? flags.appendSystemPrompt;
  const environment = initialize.excludeDynamicSections === true ? undefined : knowledge.environment;
  const skills = tools.find('Skill') === undefined ? undefined : knowledge.skillList;
  return {
    fixed: [...before, knowledge.style, added, ...tools.hub.instructions(), environment, skills].filter(
      isSaid,
    ),
    changing: behind.filter(isSaid),
  };
}

function isSaid(part: string | undefined): part is string {
  return part !== undefined && part !== '' && part !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY;
}

/**
 * A request that starts with the same bytes in every turn: first the system prompt and the tools (sorted),
 * with cache breakpoints after each of them and after the newest message.
 */
function modelRequest(
  parameters: Omit<ModelRequest, 'system' | 'tools' | 'messages'>,
  { fixed, changing }: SystemPrompt,
  tools: readonly ModelTool[],
  history: readonly MessageParam[],
  cache: PlacedConfig['cache'],
): ModelRequest {
  const last = history.at(-1);
  const newest = cacheMark(cache, 'messages');
  const block = (text: string) => ({ type: 'text' as const, text });
  return {
    ...parameters,
    system: [...markLast(fixed.map(block), cacheMark(cache, 'system')), ...changing.map(block)],
    tools: markLast(tools, cacheMark(cache, 'tools')),
    messages:
      last === undefined || newest === undefined
        ? history
        : [...history.slice(0, -1), withBreakpoint(last, newest)],
  };
}

function markLast<Item extends object>(
  items: readonly Item[],
  mark: CacheControl | undefined,
): readonly (Item & { cache_control?: CacheControl })[] {
  const last = items.at(-1);
  if (last === undefined || mark === undefined) return items;
  return [...items.slice(0, -1), { ...last, cache_control: mark }];
}

function withBreakpoint(message: MessageParam, mark: CacheControl): MessageParam {
  const { content } = message;
  const blocks: UserContentBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content as UserContentBlock[]);
  return { ...message, content: markLast(blocks, mark) } as MessageParam;
}
