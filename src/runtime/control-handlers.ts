import type { HostSubtype, InitializeRequest } from '../protocol/control-requests.js';
import type { JsonRpcMessage, McpServerConfigForProcessTransport } from '../protocol/mcp.js';
import type { Lines } from './lines.js';
import { RUNTIME_VERSION } from './runtime-config.js';
import type { RuntimeSession } from './session.js';

type Handler = (fields: Readonly<Record<string, unknown>>) => unknown;

/** What the host may ask of the runtime. Whatever is not in it is answered with an error that says so. */
export type ControlHandlers = Partial<Record<HostSubtype, Handler>>;

export function controlHandlers(session: RuntimeSession, lines: Lines): ControlHandlers {
  const { hub } = session.tools;
  return {
    initialize: (fields) => {
      session.initialize(fields as InitializeRequest);
      return description(session);
    },
    interrupt: () => session.interrupt(),
    set_model: ({ model }) => {
      if (typeof model === 'string') session.model = model;
      return { model: session.model };
    },
    set_permission_mode: ({ mode }) => {
      session.permissions.setMode(mode);
      lines.system('status', { status: null, permissionMode: mode });
      return { mode };
    },
    set_max_thinking_tokens: () => undefined,
    mcp_status: () => ({ mcpServers: hub.status() }),
    mcp_reconnect: ({ serverName }) => hub.reconnect(String(serverName)),
    mcp_toggle: ({ serverName, enabled }) => hub.toggle(String(serverName), enabled === true),
    mcp_message: ({ server_name, message }) => {
      hub.required(String(server_name)).client.receive(message as JsonRpcMessage);
      return undefined;
    },
    mcp_set_servers: ({ servers }) =>
      session.tools.setServers(servers as Record<string, McpServerConfigForProcessTransport>),
    get_binary_version: () => ({ version: RUNTIME_VERSION, buildTime: '' }),
    end_session: () => undefined,
  };
}

/** What a host wants to know before it begins. */
function description(session: RuntimeSession): object {
  return {
    commands: [],
    agents: [],
    output_style: 'default',
    available_output_styles: ['default'],
    models: [{ value: session.model, displayName: session.model, description: '' }],
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
