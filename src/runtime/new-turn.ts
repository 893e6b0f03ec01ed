import type { InitializeRequest } from '../protocol/control-requests.js';
import type { HookRunner } from './hook-runner.js';
import type { Lines } from './lines.js';
import type { MessageQueue } from './message-queue.js';
import { modelRequest, systemPrompt } from './prompt.js';
import type { RuntimeConfig, RuntimeStart } from './runtime-config.js';
import type { RuntimeSession } from './session.js';
import type { Transcript } from './sessions/transcript.js';
import { Turn, type TurnDependencies } from './turn.js';
import { TurnLimits } from './turn-limits.js';

/** What a turn needs of its conversation, beside what everybody may see of it. */
export interface TurnParts {
  session: Pick<RuntimeSession, 'model' | 'permissions' | 'tools' | 'usage'>;
  config: RuntimeConfig;
  start: RuntimeStart;
  lines: Lines;
  hooks: HookRunner;
  queue: MessageQueue;
  denials: object[];
  initialize: InitializeRequest;
  transcript: Transcript;
  remember: TurnDependencies['remember'];
}

export function newTurn(parts: TurnParts, signal: AbortSignal): Turn {
  const { config, lines, hooks, queue, denials, initialize, transcript, remember } = parts;
  const { model, permissions, tools, usage } = parts.session;
  const { flags } = parts.start;
  const { maxTurns, maxBudgetUsd, includePartialMessages } = flags;
  const { structured } = tools;
  return new Turn(
    {
      model: config.model,
      lines,
      hooks,
      permissions,
      usage,
      remember,
      structured,
      limits: new TurnLimits({ maxTurns, maxBudgetUsd, model: () => model.current }, usage, structured),
      includePartialMessages,
      ready: () => tools.hub.relisted(),
      find: (name) => tools.find(name),
      hasFallback: () => model.hasFallback,
      fallBack: (error) => model.fallBack(error),
      request: () =>
        modelRequest(
          model.parameters(),
          systemPrompt(initialize, flags, tools.hub.instructions()),
          tools.selected(),
          transcript.messages,
        ),
      takeQueued: () => queue.takeAll(),
      noteDenial: ({ block: { id, name, input } }) =>
        denials.push({ tool_name: name, tool_use_id: id, tool_input: input }),
    },
    signal,
  );
}
