import { messageOf } from '../../protocol/base/errors.js';
import { ControlFault } from '../../protocol/channel/control-channel.js';
import { numberField, optionalText, textField } from '../../protocol/channel/received-fields.js';
import type { RewindFilesResult } from '../../protocol/wire/control-payloads.js';
import type { ConversationFiles } from '../files/conversation-files.js';
import type { ControlHandlers } from './control-handlers.js';
import type { AgentConversation } from './conversation.js';

type FileRequests = 'rewind_files' | 'read_file' | 'file_suggestions' | 'seed_read_state';

export function fileHandlers(conversation: AgentConversation): Pick<ControlHandlers, FileRequests> {
  const files = async (what: string): Promise<ConversationFiles> => {
    const found = await conversation.files();
    if (found !== undefined) return found;
    throw new ControlFault('not_available', `${what}: the runtime has no workspace, and no file tools.`);
  };
  return {
    rewind_files: async (fields) => {
      const found = await files('Files cannot be rewound');
      const { user_message_id } = fields;
      // As in the CLI: without an id there is no checkpoint for it.
      const rewinding = found.rewind(String(user_message_id), fields.dry_run === true);
      if (fields.dry_run !== true) return rewinding;
      return rewinding.catch((error): RewindFilesResult => ({ canRewind: false, error: messageOf(error) }));
    },
    read_file: async (fields) => {
      const { max_bytes } = fields;
      const most = max_bytes == null ? undefined : numberField(fields, 'max_bytes');
      const found = await files('Files cannot be read');
      return found.read(textField(fields, 'path'), most, optionalText(fields, 'encoding'));
    },
    file_suggestions: async (fields) =>
      (await files('Files cannot be suggested')).suggest(textField(fields, 'query')),
    seed_read_state: async (fields) => {
      const found = await files('No file can be marked as read');
      await found.seed(textField(fields, 'path'), numberField(fields, 'mtime'));
    },
  };
}
