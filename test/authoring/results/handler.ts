/** One call of a handler, as the client of a server sees it. */
import {
  type CallToolResult,
  createSdkMcpServer,
  type InputSchema,
  type ToolContext,
  type ToolExtras,
  tool,
} from '../../../src/index.js';
import { McpWire } from '../../support/mcp-wire.js';

export type Handler = (args: unknown, context: ToolContext) => unknown;

export interface Served {
  wire: McpWire;
  call(): Promise<CallToolResult>;
}

/** A server with the one tool `give`; `audience` is who lists and calls. */
export async function served(
  handler: Handler,
  extras: ToolExtras<InputSchema> = {},
  audience: 'any' | 'claude-code' = 'any',
): Promise<Served> {
  const give = tool('give', 'Gives', {} as InputSchema, handler as never, extras as ToolExtras);
  const wire = new McpWire();
  await createSdkMcpServer({ name: 'test', tools: [give] }).instance.connect(wire.transport, audience);
  return {
    wire,
    // Over JSON, as everywhere but in memory: what that would lose or refuse must show.
    call: async () => JSON.parse(JSON.stringify(await wire.call('give', {}))),
  };
}

export async function resultOf(
  handler: Handler,
  extras?: ToolExtras<InputSchema>,
  audience?: 'any' | 'claude-code',
): Promise<CallToolResult> {
  return (await served(handler, extras, audience)).call();
}

export const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
export const failure = (words: string): CallToolResult => ({ ...text(words), isError: true });
