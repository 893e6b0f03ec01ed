import type { ToolResultBlockParam } from '../../protocol/content.js';
import { AbortError, messageOf, TenonError } from '../../protocol/errors.js';
import type { CallToolResult, ListedTool, McpContentBlock } from '../../protocol/mcp.js';
import { mcpToolName } from '../../protocol/mcp-tool-names.js';
import { McpTimeoutError } from '../mcp/mcp-client.js';
import type { McpServerConnection } from '../mcp/mcp-server-connection.js';
import { failedOutcome, type RuntimeTool, type ToolOutcome } from './tool-port.js';
import { titleFrom } from './tool-title.js';

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
        const said = messageOf(error);
        return failedOutcome(
          error instanceof McpTimeoutError
            ? `MCP server "${source.name}" tool "${listed.name}" ${said}`
            : said,
        );
      }
    },
  };
}

/** What the model reads of a result. Unlike the CLI, text and images beside structured content are kept. */
function outcomeOf(toolName: string, serverName: string, result: CallToolResult): ToolOutcome {
  const blocks = result.content ?? [];
  if (result.isError) {
    const text = blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
    return failedOutcome(text === '' ? `${toolName} failed` : text);
  }
  const { structuredContent } = result;
  const content = blocks.map((block) => modelBlock(serverName, block));
  if (structuredContent !== undefined) {
    const json = JSON.stringify(structuredContent);
    if (!content.some((block) => block.type === 'text' && sameJson(block.text, json))) {
      content.push({ type: 'text', text: json });
    }
  }
  const detail = detailOf(content, blocks, result);
  if (content.length === 0) {
    return { content: `(${toolName} completed with no output)`, isError: false, detail };
  }
  return { content, isError: false, detail };
}

/** What the host is told of a result beside what the model reads: the same blocks, and what has no place in them. */
function detailOf(content: ModelBlock[], blocks: McpContentBlock[], result: CallToolResult): unknown {
  const { structuredContent, _meta } = result;
  const resourceLinks = blocks.flatMap((block) => {
    if (block.type !== 'resource_link') return [];
    const { type: _, ...link } = block;
    return [link];
  });
  if (structuredContent === undefined && _meta === undefined && resourceLinks.length === 0) return content;
  return {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(_meta === undefined ? {} : { _meta }),
    ...(resourceLinks.length === 0 ? {} : { resourceLinks }),
  };
}

type ModelBlock = Extract<NonNullable<ToolResultBlockParam['content']>, unknown[]>[number];

function modelBlock(serverName: string, block: McpContentBlock): ModelBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return {
        type: 'image',
        source: { type: 'base64', media_type: block.mimeType as 'image/png', data: block.data },
      };
    case 'audio':
      return {
        type: 'text',
        text: `[Audio from ${serverName}: ${block.mimeType}, ${block.data.length} base64 characters]`,
      };
    case 'resource_link':
      return {
        type: 'text',
        text: `[Resource link: ${block.name}] ${block.uri}${block.description ? ` (${block.description})` : ''}`,
      };
    case 'resource': {
      const { resource } = block;
      const body = 'text' in resource ? resource.text : `[${resource.mimeType ?? 'binary'}, base64]`;
      return { type: 'text', text: `[Resource from ${serverName} at ${resource.uri}] ${body}` };
    }
    default:
      // Of a revision of MCP that is newer than we are.
      return { type: 'text', text: `[${(block as { type: string }).type}]` };
  }
}

function sameJson(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}
