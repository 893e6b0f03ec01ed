import type { McpServerConnection } from '../../mcp/client/server-connection.js';
import { JsonRpcTimeout } from '../../mcp/json-rpc/peer.js';
import { mcpToolName } from '../../mcp/tool-names.js';
import type { ListedTool } from '../../mcp/types.js';
import { AbortError, messageOf, TenonError } from '../../protocol/base/errors.js';
import { outcomeOf } from './mcp-outcome.js';
import { failedOutcome, type RuntimeTool, titleFrom } from './tool-port.js';

const CUT = 'The call was interrupted before its result came. It may or may not have had an effect.';

/** A server's tool as a tool of the agent. */
export function mcpTool(connection: McpServerConnection, listed: ListedTool): RuntimeTool {
  const { source } = connection;
  const name = mcpToolName(source.name, listed.name);
  return {
    name,
    description: listed.description ?? '',
    inputSchema: listed.inputSchema,
    annotations: listed.annotations ?? {},
    isReadOnly: listed.annotations?.readOnlyHint === true,
    needsNoPermission: false,
    server: { name: source.name, source: source.source },
    title: {
      display_name: listed.annotations?.title ?? titleFrom(listed.name),
      server_display_name: connection.handshake?.serverInfo.name ?? source.name,
      tool_name: listed.name,
    },
    policy: source.policies.find((policy) => policy.name === listed.name)?.permission_policy,
    isDeferrable: (listed._meta?.['anthropic/alwaysLoad'] ?? source.alwaysLoad) !== true,
    searchHint: listed._meta?.['anthropic/searchHint'] as string | undefined,
    run: async ({ toolUseId, input, signal, onProgress }) => {
      try {
        const options = { signal, onProgress };
        return outcomeOf(
          name,
          source.name,
          await connection.callTool(listed.name, input, toolUseId, options),
        );
      } catch (error) {
        if (error instanceof AbortError) throw error;
        if (error instanceof TenonError && error.code === 'CLOSED') {
          return { ...failedOutcome(CUT), wasCut: true };
        }
        const message = messageOf(error);
        return failedOutcome(
          error instanceof JsonRpcTimeout
            ? `MCP server "${source.name}" tool "${listed.name}" ${message}`
            : message,
        );
      }
    },
  };
}
