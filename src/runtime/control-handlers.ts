import { ControlFault } from '../protocol/control-channel.js';
import type { HostSubtype, InitializeRequest } from '../protocol/control-requests.js';
import { description, infoHandlers } from './control-info.js';
import { mcpControlHandlers } from './mcp/control-handlers.js';
import type { RuntimeSession } from './session.js';

type Handler = (fields: Readonly<Record<string, unknown>>, signal: AbortSignal) => unknown;

/** What the host may ask of the runtime. Whatever is not in it is answered with an error that says so. */
export type ControlHandlers = Partial<Record<HostSubtype, Handler>>;

export function controlHandlers(session: RuntimeSession): ControlHandlers {
  return {
    initialize: (fields) => {
      session.initialize(fields as InitializeRequest);
      return description(session);
    },
    interrupt: ({ cancel_queued }) => session.interrupt(cancel_queued === true),
    set_model: ({ model }) => {
      if (typeof model === 'string') session.model.name = model;
      return { model: session.model.name };
    },
    set_permission_mode: ({ mode }) => {
      session.permissions.setMode(mode);
      return { mode };
    },
    set_max_thinking_tokens: ({ max_thinking_tokens: tokens }) => {
      session.model.thinkingTokens = typeof tokens === 'number' ? tokens : null;
      return undefined;
    },
    ...mcpControlHandlers(session.tools.hub),
    ...infoHandlers(session),
    cancel_async_message: ({ message_uuid }) => ({ cancelled: session.cancel(String(message_uuid)) }),
    rewind_files: () =>
      missing('Files cannot be rewound: the runtime has no file tools and keeps no checkpoints.'),
    read_file: () => missing('Files cannot be read: the runtime has no file tools.'),
    file_suggestions: () => missing('Files cannot be suggested: the runtime has no file tools.'),
    get_task_output: ({ task_id }) => missing(`No task found with ID: ${task_id}. The runtime has no tasks.`),
    stop_task: ({ task_id }) => missing(`No task found with ID: ${task_id}. The runtime has no tasks.`),
    background_tasks: () => missing('Nothing can go to the background: the runtime has no tasks.'),
    seed_read_state: () => missing('No file can be marked as read: the runtime has no file tools.'),
    set_mcp_permission_mode_override: () =>
      missing('A server cannot have a mode of its own: the runtime has one mode for all of them.'),
    apply_flag_settings: () => missing('Settings cannot be changed: the runtime has none.'),
    update_settings: () => missing('Settings cannot be changed: the runtime has none.'),
    // A hint that changes nothing here.
    set_has_subscribers: () => undefined,
    end_session: () => session.end(),
  };
}

/** The request is a known one, and this agent has nothing to answer it with. */
function missing(text: string): never {
  throw new ControlFault('not_available', text);
}
