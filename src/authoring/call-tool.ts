import { AbortError, messageOf } from '../protocol/errors.js';
import type { CallToolResult } from '../protocol/mcp.js';
import { CallClock } from './limits.js';
import { structuredResultOf } from './results/structured.js';
import { errorResult, toolResultOf } from './results/tool-result.js';
import { type AnyTool, type PreparedTool, prepareTool } from './tool.js';
import { type CallScope, type ToolContext, toolContextOf } from './tool-context.js';

/** Where the places are named in which a model's arguments were repaired. */
const REPAIRED_KEY = 'tenon/repairedArguments';

/** Checks the arguments, runs the handler, makes a result of whatever comes. Never rejects: failures are results. */
export async function callTool(
  tool: AnyTool,
  args: unknown,
  scope: CallScope,
  timeoutMs: number | undefined,
): Promise<CallToolResult> {
  try {
    const prepared = prepareTool(tool);
    const checked = await prepared.input.check(args);
    if (!checked.ok) {
      return errorResult(`Invalid arguments for tool "${tool.name}": ${checked.issues.join('; ')}`);
    }
    const { value, repaired } = checked;
    const result = await prepared.limiter.run(() =>
      runHandler(tool, prepared, value, repaired, scope, timeoutMs),
    );
    return repaired.length === 0
      ? result
      : { ...result, _meta: { ...result._meta, [REPAIRED_KEY]: repaired } };
  } catch (error) {
    return errorResult(messageOf(error));
  }
}

/** The handler against its clock. A handler that is late runs on, with its signal aborted; nobody waits for it. */
async function runHandler(
  tool: AnyTool,
  { output }: PreparedTool,
  args: unknown,
  repaired: readonly string[],
  scope: CallScope,
  timeoutMs: number | undefined,
): Promise<CallToolResult> {
  // Cancelled while its arguments were checked or while it waited its turn: nothing is begun.
  if (scope.signal.aborted) return errorResult(messageOf(scope.signal.reason));
  const clock = new CallClock(timeoutMs);
  const late = new AbortController();
  const signal = clock.timeoutMs > 0 ? AbortSignal.any([scope.signal, late.signal]) : scope.signal;
  const context = toolContextOf(scope, signal, () => clock.restart(), repaired);
  try {
    const expired = new Promise<CallToolResult>((resolve) => {
      clock.start(() => {
        const text = `Tool "${tool.name}" timed out after ${clock.timeoutMs} ms.`;
        resolve(errorResult(text));
        late.abort(new AbortError(text));
      });
    });
    return await Promise.race([produce(tool, output, args, context), expired]);
  } finally {
    clock.stop();
  }
}

async function produce(
  tool: AnyTool,
  output: PreparedTool['output'],
  args: unknown,
  context: ToolContext,
): Promise<CallToolResult> {
  const returned = await tool.handler(args as never, context);
  const value = isTextStream(returned) ? await collect(returned, context) : returned;
  return output === undefined ? toolResultOf(value) : structuredResultOf(value, output);
}

function isTextStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** The parts are reported while they come; the whole is the result. */
async function collect(stream: AsyncIterable<unknown>, context: ToolContext): Promise<string> {
  let text = '';
  for await (const part of stream) {
    if (context.signal.aborted) break;
    text += String(part);
    context.reportProgress(text.length, undefined, String(part));
  }
  return text;
}

export function unknownToolResult(name: string, known: Iterable<string>): CallToolResult {
  const names = [...known];
  const offer = names.length > 0 ? `This server has: ${names.join(', ')}.` : 'This server has no tools.';
  return errorResult(`Tool "${name}" not found. ${offer}`);
}
