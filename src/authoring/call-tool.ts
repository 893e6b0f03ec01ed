import { messageOf } from '../protocol/errors.js';
import type { CallToolResult } from '../protocol/mcp.js';
import { type AnyTool, prepareTool } from './tool.js';
import type { ToolContext } from './tool-context.js';
import { errorResult, toolResultOf } from './tool-result.js';

/** Checks the arguments, runs the handler, makes a result of whatever comes. Never rejects: failures are results. */
export async function callTool(tool: AnyTool, args: unknown, context: ToolContext): Promise<CallToolResult> {
  try {
    const checked = await prepareTool(tool).check(args);
    if (!checked.ok) {
      return errorResult(`Invalid arguments for tool "${tool.name}": ${checked.issues.join('; ')}`);
    }
    return toolResultOf(await tool.handler(checked.value as never, context));
  } catch (error) {
    return errorResult(messageOf(error));
  }
}

export function unknownToolResult(name: string, known: Iterable<string>): CallToolResult {
  const names = [...known];
  const offer = names.length > 0 ? `This server has: ${names.join(', ')}.` : 'This server has no tools.';
  return errorResult(`Tool "${name}" not found. ${offer}`);
}
