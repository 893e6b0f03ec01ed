import type { McpServerStatus } from '../status.js';
import type { InitializeResult, ListedTool } from '../types.js';
import type { McpServerSource } from './server-source.js';
import type { ServerState } from './server-state.js';

interface Described {
  readonly source: McpServerSource;
  readonly state: ServerState;
  readonly tools: readonly ListedTool[];
  readonly handshake: InitializeResult | undefined;
}

/** A server's status as reported to the host. */
export function statusOf({ source: server, state, tools, handshake }: Described): McpServerStatus {
  const { name, transport, source, shownConfig } = server;
  const info = handshake?.serverInfo;
  const lastStderr = server.lastStderr?.() ?? '';
  return {
    name,
    ...(info === undefined ? {} : { serverInfo: { name: info.name, version: info.version } }),
    ...state.report(),
    ...(shownConfig === undefined ? {} : { config: shownConfig }),
    transport,
    scope: 'dynamic',
    source,
    ...(state.is('connected') ? { tools: tools.map(statusOfTool) } : {}),
    ...(lastStderr === '' ? {} : { lastStderr }),
  };
}

function statusOfTool({ name, annotations = {} }: ListedTool): NonNullable<McpServerStatus['tools']>[number] {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  return {
    name,
    annotations: {
      ...(readOnlyHint === undefined ? {} : { readOnly: readOnlyHint }),
      ...(destructiveHint === undefined ? {} : { destructive: destructiveHint }),
      ...(openWorldHint === undefined ? {} : { openWorld: openWorldHint }),
    },
  };
}
