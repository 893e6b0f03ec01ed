import type { McpServerConnection } from '../../mcp/client/server-connection.js';
import { IDEMPOTENCY_KEY, RECONCILE, RECONCILED, RECONCILES, REPEATABLE } from '../../mcp/durable-meta.js';
import { JsonRpcTimeout } from '../../mcp/json-rpc/peer.js';
import { mcpToolName } from '../../mcp/tool-names.js';
import type { CallToolResult, ListedTool, McpContentBlock } from '../../mcp/types.js';
import { AbortError, messageOf, TenonError } from '../../protocol/base/errors.js';
import { isRecord, kindOf } from '../../protocol/base/kinds.js';
import type { ToolResultBlockParam } from '../../protocol/wire/content.js';
import { failedOutcome, type RuntimeTool, type ToolOutcome, titleFrom } from './tool-port.js';

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
    maxResultChars: announcedLimit(listed, source.transport === 'sdk'),
    ...durableParts(connection, listed, name),
    run: async ({ toolUseId, input, signal, onProgress, idempotencyKey }) => {
      try {
        const meta = idempotencyKey === undefined ? undefined : { [IDEMPOTENCY_KEY]: idempotencyKey };
        const options = { signal, onProgress, meta };
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

/** What a conversation that survives a restart asks of a tool. */
function durableParts(
  connection: McpServerConnection,
  { name: listedName, annotations, _meta }: ListedTool,
  name: string,
): Pick<RuntimeTool, 'isRepeatable' | 'reconcile'> {
  const isReadOnly = annotations?.readOnlyHint === true && _meta?.[REPEATABLE] !== false;
  const isRepeatable = isReadOnly || annotations?.idempotentHint === true;
  if (_meta?.[RECONCILES] !== true) return { isRepeatable };
  return {
    isRepeatable,
    reconcile: async ({ toolUseId, input, signal, idempotencyKey }) => {
      const meta = { [IDEMPOTENCY_KEY]: idempotencyKey, [RECONCILE]: true };
      const result = await connection.callTool(listedName, input, toolUseId, { signal, meta });
      const { [RECONCILED]: said, ...rest } = result._meta ?? {};
      if (said === 'not_happened') return { happened: false };
      const kept = { ...result, _meta: Object.keys(rest).length === 0 ? undefined : rest };
      const outcome = outcomeOf(name, connection.source.name, kept);
      if (said === 'happened') return { happened: true, outcome };
      throw new Error(typeof outcome.content === 'string' ? outcome.content : 'it did not say');
    },
  };
}

/** As much as Claude Code lets a server ask for: what strangers announce must not fill the context window. */
const MOST_ANNOUNCED_CHARS = 500_000;

/** The limit that a server announces for a tool; that of the program's own servers counts as it is. */
function announcedLimit({ _meta }: ListedTool, isOwn: boolean): number | undefined {
  const chars = _meta?.['anthropic/maxResultSizeChars'];
  if (typeof chars !== 'number' || !(chars >= 1)) return undefined;
  return isOwn ? chars : Math.min(chars, MOST_ANNOUNCED_CHARS);
}

/**
 * What the model reads of a result. Unlike in the CLI, text and images next to structured content are kept.
 */
export function outcomeOf(toolName: string, serverName: string, result: CallToolResult): ToolOutcome {
  const outcome = read(toolName, serverName, result);
  outcome.result = result;
  return outcome;
}

function read(toolName: string, serverName: string, result: CallToolResult): ToolOutcome {
  const blocks = checkedBlocks(result);
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
    return { content: `(${toolName} completed with no output)`, detail };
  }
  return { content, detail };
}

/** Throws for what no model could read: it would stay in the transcript. */
function checkedBlocks({ content }: CallToolResult): McpContentBlock[] {
  const blocks: unknown = content ?? [];
  if (!Array.isArray(blocks))
    throw new Error(`The result's \`content\` must be a list; it is ${kindOf(blocks)}.`);
  const index = blocks.findIndex((block) => !isBlock(block));
  if (index !== -1) throw new Error(`The result's \`content[${index}]\` is not a content block.`);
  return blocks;
}

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
};

function isBlock(block: unknown): boolean {
  if (!isRecord(block) || typeof block.type !== 'string') return false;
  if (block.type === 'resource') return isRecord(block.resource) && typeof block.resource.uri === 'string';
  const needed = Object.hasOwn(NEEDED, block.type) ? (NEEDED[block.type] ?? []) : [];
  return needed.every((name) => typeof block[name] === 'string');
}

/**
 * The details of a result for the host: the same blocks as for the model, and what does not fit into them.
 */
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
      // From a newer revision of MCP.
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
