import { messageOf } from '../../protocol/base/errors.js';
import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { AgentConversation } from '../conversation/conversation.js';
import type { RuntimeFlags } from '../start/flags.js';
import type { TurnParts } from '../turn/new-turn.js';
import { RAISING } from './agent-files.js';
import { promptOf } from './agent-prompt.js';
import type { KnownAgent } from './known-agent.js';
import { hasTool } from './subagent-tools.js';

/**
 * Lets the agent that the host has named lead the conversation: called once, before its first turn. Returns the
 * prompt that it begins with, if its definition has one. What the host has chosen itself comes first.
 */
export function letLead(
  conversation: AgentConversation,
  flags: RuntimeFlags,
  warn: (text: string) => void,
): MessageFrame | undefined {
  const { leader, wantedLeader } = conversation.subagents;
  if (leader === undefined) {
    if (wantedLeader !== undefined) warn(`\`agent\`: there is no agent "${wantedLeader}"; nobody leads.`);
    return undefined;
  }
  const { model, permissionMode, initialPrompt } = leader;
  conversation.tools.restrict((tool) => hasTool(leader, tool));
  if (flags.model === undefined && model !== undefined && model !== 'inherit') {
    orWarn(() => {
      conversation.model.name = model;
    }, warn);
  }
  // As in the CLI: a mode that allows more is the user's to choose.
  const isRestricting = permissionMode !== undefined && !RAISING.has(permissionMode);
  if (flags.permissionMode === undefined && isRestricting) {
    orWarn(() => conversation.permissions.beginIn(permissionMode), warn);
  }
  if (initialPrompt === undefined || conversation.messages.length > 0) return undefined;
  return { type: 'user', message: { role: 'user', content: initialPrompt } };
}

function orWarn(change: () => void, warn: (text: string) => void): void {
  try {
    change();
  } catch (error) {
    warn(messageOf(error));
  }
}

/** The parts of its turns. A prompt of the host's own comes before that of the agent; an empty one does not. */
export function ledBy(leader: KnownAgent | undefined, parts: TurnParts): TurnParts {
  if (leader === undefined) return parts;
  const { initialize, start } = parts;
  const sent = initialize.systemPrompt ?? [start.flags.systemPrompt ?? ''];
  const isReplaced = sent.some((text) => text !== '');
  const { flags } = start;
  return {
    ...parts,
    initialize: isReplaced ? initialize : { ...initialize, systemPrompt: promptOf(leader) },
    start: { ...start, flags: { ...flags, maxTurns: flags.maxTurns ?? leader.maxTurns } },
  };
}
