import type { Workspace } from '../../workspace/workspace.js';
import type { Permissions } from '../permissions/permissions.js';
import type { RuntimeStart } from '../start/runtime-config.js';
import type { Transcript } from '../transcript/transcript.js';
import type { LogPlace } from './checkpoint-log.js';
import type { ConversationFiles } from './conversation-files.js';

/** Loaded when there is a workspace: most conversations have none. */
export async function openFiles(
  workspace: Workspace,
  conversation: { readonly permissions: Permissions; warn(text: string): void },
  { env = {} }: RuntimeStart,
  transcript: Transcript | undefined,
): Promise<ConversationFiles> {
  const { ConversationFiles } = await import('./conversation-files.js');
  const isCheckpointing = /^(1|true)$/i.test(env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING ?? '');
  return ConversationFiles.open({
    workspace,
    permissions: conversation.permissions,
    checkpoints: isCheckpointing ? logPlace(transcript) : undefined,
    messages: transcript?.messages ?? [],
    warn: (text) => conversation.warn(text),
  });
}

/** Copies of files are kept where the conversation is. */
export function logPlace(transcript: Transcript | undefined): LogPlace {
  if (transcript === undefined) throw new Error('The conversation is not open yet.');
  return { store: transcript.store, key: transcript.key, from: transcript.origin };
}
