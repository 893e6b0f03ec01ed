import type { CallToolResult, McpContentBlock } from '../../mcp/types.js';
import type { ToolResultBlockParam } from '../../protocol/wire/content.js';
import { failedOutcome, type ToolOutcome } from './tool-port.js';

/**
 * What the model reads of a result. Unlike in the CLI, text and images next to structured content are kept.
 */
export function outcomeOf(toolName: string, serverName: string, result: CallToolResult): ToolOutcome {
  const outcome = read(toolName, serverName, result);
  outcome.result = result;
  return outcome;
}

function read(toolName: string, serverName: string, result: CallToolResult): ToolOutcome {
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
