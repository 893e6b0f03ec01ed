import type { HostSubtype, InitializeRequest } from '../protocol/control-requests.js';
import { mcpControlHandlers } from './mcp/control-handlers.js';
import { RUNTIME_VERSION } from './runtime-config.js';
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
    interrupt: () => session.interrupt(),
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
    get_binary_version: () => ({ version: RUNTIME_VERSION, buildTime: '' }),
    end_session: () => session.end(),
  };
}

/** What a host wants to know before it begins. */
function description(session: RuntimeSession): object {
  return {
    commands: [],
    agents: [],
    output_style: 'default',
    available_output_styles: ['default'],
    models: models(session),
    account: {},
    pid: process.pid,
    claude_code_version: RUNTIME_VERSION,
    current_permission_mode: session.permissions.mode,
    session_state: session.state,
    // Hosts refuse to go on with `onFailure: 'block'` where it is not kept.
    hook_on_failure_supported: true,
    capabilities: ['interrupt_receipt_v1', 'sdk_mcp_manifests'],
  };
}

function models({ model: { name } }: RuntimeSession): object[] {
  return [{ value: name, displayName: name, description: '' }];
}
