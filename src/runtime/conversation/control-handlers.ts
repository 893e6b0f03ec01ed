import { ControlFault } from '../../protocol/channel/control-channel.js';
import { type HostRequestHandlers, textField } from '../../protocol/channel/received-fields.js';
import { mcpControlHandlers } from '../mcp/control-handlers.js';
import { description, infoHandlers } from './control-info.js';
import type { AgentConversation } from './conversation.js';
import { fileHandlers } from './file-handlers.js';
import { initializeRequest } from './initialize-request.js';
import { taskHandlers } from './task-handlers.js';

/** The requests that the host may send to the runtime. */
export type ControlHandlers = HostRequestHandlers<[signal: AbortSignal]>;

export function controlHandlers(conversation: AgentConversation): ControlHandlers {
  let isInitialized = false;
  return {
    initialize: async (fields) => {
      conversation.initialize(initializeRequest(fields));
      await conversation.knowledge.known;
      // A host that begins again, for instance after it has lost its own state, does not know what is running.
      if (isInitialized) conversation.tasks.list();
      isInitialized = true;
      return description(conversation);
    },
    interrupt: ({ cancel_queued }) => conversation.interrupt(cancel_queued === true),
    set_model: ({ model }) => {
      if (typeof model === 'string') conversation.model.name = model;
      return { model: conversation.model.name };
    },
    set_permission_mode: ({ mode }) => {
      conversation.permissions.setMode(mode);
      return { mode: conversation.permissions.mode };
    },
    set_max_thinking_tokens: ({ max_thinking_tokens: tokens }) => {
      conversation.model.thinkingTokens = typeof tokens === 'number' ? tokens : null;
    },
    ...mcpControlHandlers(conversation.tools.hub),
    ...infoHandlers(conversation),
    cancel_async_message: (fields) => ({ cancelled: conversation.cancel(textField(fields, 'message_uuid')) }),
    ...fileHandlers(conversation),
    ...taskHandlers(conversation.tasks),
    set_mcp_permission_mode_override: () =>
      missing('A server cannot have its own permission mode: the runtime has one mode for all of them.'),
    apply_flag_settings: () =>
      missing('Settings cannot be changed while a conversation runs: start it again with others.'),
    update_settings: () =>
      missing('Settings cannot be changed while a conversation runs: start it again with others.'),
    // A hint that has no effect here.
    set_has_subscribers: () => {},
    end_session: () => conversation.end(),
  };
}

/** For known requests that this agent cannot serve. */
function missing(text: string): never {
  throw new ControlFault('not_available', text);
}
