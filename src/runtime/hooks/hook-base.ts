import type { BaseHookInput } from '../../protocol/wire/hooks.js';
import type { AgentConversation } from '../conversation/conversation.js';

/** What every hook of a conversation is told. */
export function hookBase(
  { cwd, permissions, sessionId, subagents }: AgentConversation,
  promptId: string,
): BaseHookInput {
  const { leader } = subagents;
  return {
    session_id: sessionId,
    transcript_path: '',
    cwd,
    prompt_id: promptId,
    permission_mode: permissions.mode,
    ...(leader === undefined ? {} : { agent_type: leader.name }),
  };
}
