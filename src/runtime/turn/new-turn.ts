import type { InitializeRequest } from '../../protocol/wire/control-requests.js';
import type { SDKPermissionDenial } from '../../protocol/wire/messages/index.js';
import type { AgentConversation } from '../conversation/conversation.js';
import type { Lines } from '../conversation/lines.js';
import type { MessageQueue } from '../conversation/message-queue.js';
import type { HookRunner } from '../hooks/hook-runner.js';
import type { PlacedConfig, RuntimeStart } from '../start/runtime-config.js';
import type { Transcript } from '../transcript/transcript.js';
import type { RequestHistory } from './history-policy.js';
import { modelRequest, systemPrompt } from './prompt.js';
import { Turn, type TurnDependencies } from './turn.js';
import { TurnLimits } from './turn-limits.js';

/** What a turn needs from its conversation, in addition to its public parts. */
export interface TurnParts {
  conversation: Pick<AgentConversation, 'model' | 'permissions' | 'tools' | 'usage'>;
  config: PlacedConfig;
  start: RuntimeStart;
  lines: Lines;
  hooks: HookRunner;
  queue: MessageQueue;
  denials: SDKPermissionDenial[];
  initialize: InitializeRequest;
  transcript: Transcript;
  history: RequestHistory;
  middleware: TurnDependencies['middleware'];
  remember: TurnDependencies['remember'];
}

export function newTurn(parts: TurnParts, signal: AbortSignal): Turn {
  const { config, lines, hooks, queue, denials, initialize, transcript, history, middleware, remember } =
    parts;
  const { model, permissions, tools, usage } = parts.conversation;
  const { flags } = parts.start;
  const { maxTurns, maxBudgetUsd, includePartialMessages } = flags;
  const { structured } = tools;
  return new Turn(
    {
      model: config.model,
      lines,
      hooks,
      permissions,
      middleware,
      usage,
      remember,
      structured,
      limits: new TurnLimits({ maxTurns, maxBudgetUsd, model: () => model.current }, usage, structured),
      includePartialMessages,
      expectListeners: config.platform.expectListeners,
      ready: () => tools.hub.relisted(),
      find: (name) => tools.find(name),
      hasFallback: () => model.hasFallback,
      fallBack: (error) => model.fallBack(error),
      request: async (running) => {
        const { messages } = transcript;
        const conversation = { messages, model: model.current, lastRequest: usage.lastRequest };
        const selected = await history.messages(conversation, running);
        const system = systemPrompt(initialize, flags, tools.hub.instructions());
        return modelRequest(model.parameters(), system, tools.definitions(), selected);
      },
      takeQueued: () => queue.takeAll(),
      noteDenial: ({ block: { id, name, input } }) =>
        denials.push({
          tool_name: name,
          tool_use_id: id,
          tool_input: input as SDKPermissionDenial['tool_input'],
        }),
    },
    signal,
  );
}
