import type { Workspace } from '../../workspace/workspace.js';
import type { AgentConversation } from '../conversation/conversation.js';
import type { RuntimeStart } from '../start/runtime-config.js';
import type { Transcript } from '../transcript/transcript.js';
import type { LogPlace } from './checkpoint-log.js';
import type { ConversationFiles } from './conversation-files.js';

/** Opens the tools that work on files. Loaded when there is a workspace: most conversations have none. */
export async function openFiles(
  workspace: Workspace | undefined,
  conversation: AgentConversation,
  { env = {} }: RuntimeStart,
  transcript: Transcript | undefined,
): Promise<ConversationFiles | undefined> {
  if (workspace === undefined) return undefined;
  const { ConversationFiles } = await import('./conversation-files.js');
  const isCheckpointing = /^(1|true)$/i.test(env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING ?? '');
  const files = await ConversationFiles.open({
    workspace,
    permissions: conversation.permissions,
    checkpoints: isCheckpointing ? logPlace(transcript) : undefined,
    messages: transcript?.messages ?? [],
    warn: (text) => conversation.warn(text),
  });
  await conversation.tools.openBuiltIns({
    workspace,
    tasks: conversation.tasks,
    sessionId: () => conversation.sessionId,
    about: { onRead: (real) => conversation.knowledge.about(real), ...files.forTools },
  });
  return files;
}

/** Copies of files are kept where the conversation is. */
export function logPlace(transcript: Transcript | undefined): LogPlace {
  if (transcript === undefined) throw new Error('The conversation is not open yet.');
  return { store: transcript.store, key: transcript.key, from: transcript.origin };
}
