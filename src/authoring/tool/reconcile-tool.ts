import { RECONCILED } from '../../mcp/durable-meta.js';
import { errorResult } from '../../mcp/error-result.js';
import type { CallToolResult } from '../../mcp/types.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { structuredResultOf, toolResultOf } from '../results/tool-result.js';
import { type CallLimits, callTool } from './call-tool.js';
import { type AnyTool, prepareTool } from './tool.js';
import type { CallScope, ToolContext } from './tool-context.js';

/** Asks a tool whether a call has happened, with the checks and limits of a call. Never rejects. */
export async function reconcileTool(
  tool: AnyTool,
  args: unknown,
  scope: CallScope,
  limits: CallLimits,
): Promise<CallToolResult> {
  const handler = async (checked: never, context: ToolContext): Promise<CallToolResult> =>
    resultOf(tool, await tool.reconcile?.(checked, context));
  return callTool({ ...tool, outputSchema: undefined, handler }, args, scope, limits);
}

async function resultOf(tool: AnyTool, said: unknown): Promise<CallToolResult> {
  if (!isRecord(said) || typeof said.happened !== 'boolean') {
    return errorResult(
      `\`reconcile\` of the tool "${tool.name}" must return { happened: true, result } or { happened: false }.`,
    );
  }
  if (!said.happened) return { content: [], _meta: { [RECONCILED]: 'not_happened' } };
  const { output } = prepareTool(tool);
  const result =
    output === undefined ? toolResultOf(said.result) : await structuredResultOf(said.result, output);
  return { ...result, _meta: { ...result._meta, [RECONCILED]: 'happened' } };
}
