import type { ComposedCalls } from '../../mcp/call-middleware.js';
import type { CallToolResult, McpContentBlock } from '../../mcp/types.js';
import { AbortError, messageOf } from '../../protocol/base/errors.js';
import { outcomeOf } from '../tools/mcp-tool.js';
import { failedOutcome, type RuntimeTool, type ToolCall, type ToolOutcome } from '../tools/tool-port.js';

/** Runs a tool through middleware, which sees an MCP result whatever kind of tool it is. */
export async function runThrough(
  middleware: ComposedCalls,
  tool: RuntimeTool,
  call: ToolCall,
  sessionId: string,
): Promise<ToolOutcome> {
  let outcome: ToolOutcome | undefined;
  let given: CallToolResult | undefined;
  const { toolUseId, input, signal } = call;
  const server = tool.server?.name;
  const result = await middleware(
    { toolName: tool.name, server, input, toolUseId, sessionId, signal },
    async (passed) => {
      outcome =
        (passed === input ? undefined : await otherAccess(tool, call, passed)) ??
        (await runPlainly(tool, { ...call, input: passed }));
      given = outcome.result ?? resultOf(outcome);
      return given;
    },
  );
  // Unchanged, so nothing is lost by converting back.
  if (outcome !== undefined && result === given) return outcome;
  const changed = outcomeOf(tool.name, server ?? tool.name, result);
  keepOwnBlocks(changed, result, outcome);
  return outcome?.wasCut ? { ...changed, wasCut: true } : changed;
}

/** Permission was given for what the call touches: middleware may change how, but not what. */
async function otherAccess(
  tool: RuntimeTool,
  { access }: ToolCall,
  passed: Record<string, unknown>,
): Promise<ToolOutcome | undefined> {
  if (tool.prepare === undefined) return undefined;
  const now = await tool.prepare(passed);
  if (now.problem !== undefined) return failedOutcome(now.problem);
  if (JSON.stringify(now.access) === JSON.stringify(access)) return undefined;
  return failedOutcome(
    `toolMiddleware changed what this call of ${tool.name} touches after it was permitted. Change it in a PreToolUse hook or in canUseTool, which are asked before.`,
  );
}

/** A failing tool has a result too, for middleware as for the model. */
async function runPlainly(tool: RuntimeTool, call: ToolCall): Promise<ToolOutcome> {
  try {
    return await tool.run(call);
  } catch (error) {
    if (call.signal.aborted || error instanceof AbortError) throw error;
    return failedOutcome(messageOf(error));
  }
}

type ModelBlock = Exclude<ToolOutcome['content'], string>[number];

function resultOf({ content, isError }: ToolOutcome): CallToolResult {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return { content: blocks.map(mcpBlock), ...(isError ? { isError } : {}) };
}

/** Blocks that MCP does not have are passed as they are, so that middleware can pass them on. */
function mcpBlock(block: ModelBlock): McpContentBlock {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'image' && block.source.type === 'base64') {
    return { type: 'image', data: block.source.data, mimeType: block.source.media_type };
  }
  return block as unknown as McpContentBlock;
}

/** In place, because the details for the host hold the same blocks. */
function keepOwnBlocks(changed: ToolOutcome, { content }: CallToolResult, before?: ToolOutcome): void {
  if (typeof changed.content === 'string' || before === undefined || typeof before.content === 'string')
    return;
  const own = new Set<unknown>(before.content);
  for (const [index, block] of content.entries()) {
    if (own.has(block)) changed.content[index] = block as unknown as ModelBlock;
  }
}
