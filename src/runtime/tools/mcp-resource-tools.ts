import { INVALID_PARAMS, RESOURCE_NOT_FOUND } from '../../mcp/json-rpc/codes.js';
import { JsonRpcFault } from '../../mcp/json-rpc/fault.js';
import type { McpResource } from '../../mcp/listings.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type { McpHub } from '../mcp/hub.js';
import { listResources, readResource } from '../mcp/listings.js';
import { jsonOutcome, readingTool, serverNamed, troubles } from './mcp-reading-tool.js';
import type { RuntimeTool, ToolOutcome } from './tool-port.js';

/** The agent's own tools for the resources of servers, if any server has some. The names are those of the CLI. */
export function mcpResourceTools(hub: McpHub): RuntimeTool[] {
  if (hub.having('resources').length === 0) return [];
  return [
    readingTool({
      name: 'ListMcpResourcesTool',
      aliases: ['ListMcpResources'],
      description:
        'Lists the resources of the MCP servers, or of one server: what can be read, with its URI.',
      properties: { server: { type: 'string', description: 'a server; all of them when absent' } },
      required: [],
      run: async ({ input, signal }) => list(hub, serverNamed(input.server), signal),
    }),
    readingTool({
      name: 'ReadMcpResourceTool',
      aliases: ['ReadMcpResource'],
      description: 'Reads a resource of an MCP server by its URI.',
      properties: { server: { type: 'string' }, uri: { type: 'string' } },
      required: ['server', 'uri'],
      run: async ({ input, signal }) => read(hub, String(input.server), String(input.uri), signal),
    }),
  ];
}

async function list(hub: McpHub, server: string | undefined, signal: AbortSignal): Promise<ToolOutcome> {
  if (server !== undefined) checkServer(hub, server);
  const isWithout = server !== undefined && !hasResources(hub, server);
  const { resources, resourceTemplates, errors } = isWithout
    ? { resources: [], resourceTemplates: [], errors: {} }
    : await listResources(hub, server, signal);
  const found = [...resources.map(shown), ...resourceTemplates, ...troubles(errors)];
  return found.length === 0 ? { content: 'There are no resources.', detail: [] } : jsonOutcome(found);
}

/** In the order in which models know the fields. */
function shown({ name, title, uri, ...more }: McpResource): object {
  return { name, ...(title === undefined ? {} : { title }), uri, ...more };
}

async function read(hub: McpHub, server: string, uri: string, signal: AbortSignal): Promise<ToolOutcome> {
  checkServer(hub, server);
  if (!hasResources(hub, server)) throw new Error(`The server "${server}" has no resources.`);
  try {
    const { contents } = await readResource(hub, server, uri, signal);
    return readOutcome(Array.isArray(contents) ? contents : []);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // Not a failure of the tool: resources come and go.
    const text = `There is no resource ${uri} at the server "${server}" any more. List its resources again.`;
    return { content: text, detail: { contents: [], error: text } };
  }
}

type Block = Exclude<ToolOutcome['content'], string>[number];

const IMAGES: readonly unknown[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Bytes as text would fill the prompt and tell a model nothing: images are shown, of others it reads that they are there. */
function readOutcome(contents: readonly unknown[]): ToolOutcome {
  const images: Block[] = [];
  const texts = contents.filter(isRecord).map(({ uri, mimeType, text, blob }) => {
    const kept = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
    if (typeof blob !== 'string') return { ...kept, text };
    const isImage = IMAGES.includes(mimeType);
    if (isImage) images.push(imageBlock(mimeType as 'image/png', blob));
    const size = `${Math.floor((blob.replace(/=+$/, '').length * 3) / 4)} bytes`;
    return { ...kept, text: isImage ? `[An image of ${size}, which follows]` : `[${size} that are no text]` };
  });
  const text = JSON.stringify({ contents: texts });
  const detail = { contents: contents.filter(isRecord).map(({ _meta, ...content }) => content) };
  return { content: images.length === 0 ? text : [{ type: 'text', text }, ...images], detail };
}

function imageBlock(media_type: 'image/png', data: string): Block {
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

function checkServer(hub: McpHub, server: string): void {
  if (hub.get(server) !== undefined) return;
  throw new Error(`There is no server "${server}". There are: ${hub.names.join(', ')}.`);
}

function hasResources(hub: McpHub, server: string): boolean {
  return hub.having('resources').some(({ source }) => source.name === server);
}

/** The code of the specification, and how the MCP library says it. */
function isNotFound(error: unknown): boolean {
  if (!(error instanceof JsonRpcFault)) return false;
  return (
    error.code === RESOURCE_NOT_FOUND || (error.code === INVALID_PARAMS && /not found/i.test(error.message))
  );
}
