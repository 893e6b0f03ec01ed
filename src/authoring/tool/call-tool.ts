import { errorResult } from '../../mcp/error-result.js';
import type { CallToolResult } from '../../mcp/types.js';
import { Cancellation } from '../../protocol/base/cancellation.js';
import { AbortError, messageOf } from '../../protocol/base/errors.js';
import { isTextStream, structuredResultOf, textOfStream, toolResultOf } from '../results/tool-result.js';
import { CallClock, LateHandlers, type Limiter } from './limits.js';
import { type AnyTool, type PreparedTool, prepareTool } from './tool.js';
import { type CallScope, type ToolContext, toolContextOf } from './tool-context.js';

/** Where the places are named in which a model's arguments were repaired. */
const REPAIRED_KEY = 'tenon/repairedArguments';

/** What the tool's server adds to its own limits. */
export interface CallLimits {
  timeoutMs: number | undefined;
  server: { readonly limiter: Limiter };
}

/** Checks the arguments, runs the handler, makes a result of whatever comes. Never rejects: failures are results. */
export async function callTool(
  tool: AnyTool,
  args: unknown,
  scope: CallScope,
  { timeoutMs, server }: CallLimits,
): Promise<CallToolResult> {
  try {
    const prepared = prepareTool(tool);
    const checking = prepared.input.check(args);
    const checked = checking instanceof Promise ? await checking : checking;
    if (!checked.ok) {
      return errorResult(`Invalid arguments for tool "${tool.name}": ${checked.issues.join('; ')}`);
    }
    const { value, repaired } = checked;
    // The tool's own limit first: a call that waits for it must not keep the other tools of its server waiting.
    const run = (ended: () => void): Promise<CallToolResult> =>
      runHandler(tool, prepared, value, repaired, scope, timeoutMs, ended);
    const result = await prepared.limiter.run(
      (ended) => server.limiter.run(run, timeoutMs, ended),
      timeoutMs,
    );
    return repaired.length === 0
      ? result
      : { ...result, _meta: { ...result._meta, [REPAIRED_KEY]: repaired } };
  } catch (error) {
    return errorResult(
      error instanceof LateHandlers ? `Tool "${tool.name}" ${error.message}` : messageOf(error),
    );
  }
}

/**
 * The handler against its clock and its caller. When it is late or cancelled its signal is aborted and the call is
 * over; a handler that does not listen runs on, and keeps its place among those that may run at once.
 */
function runHandler(
  tool: AnyTool,
  { output }: PreparedTool,
  args: unknown,
  repaired: readonly string[],
  scope: CallScope,
  timeoutMs: number | undefined,
  ended: () => void,
): Promise<CallToolResult> {
  const { cancellation } = scope;
  return new Promise((resolve, reject) => {
    const clock = new CallClock(timeoutMs);
    // Its caller's own where it has no clock: to be late is not to be cancelled, and must be answered.
    const over = clock.hasLimit ? new Cancellation() : cancellation;
    const end = (): void => {
      clock.stop();
      cancellation.off(cancel);
    };
    const stop = (reason: unknown): void => {
      end();
      over.cancel(reason);
      resolve(errorResult(messageOf(reason)));
    };
    const cancel = (): void => stop(cancellation.reason);
    // Cancelled while its arguments were checked or while it waited its turn: nothing is begun.
    if (cancellation.isCancelled) {
      ended();
      cancel();
      return;
    }
    cancellation.on(cancel);
    clock.start(() => stop(new AbortError(`Tool "${tool.name}" timed out after ${timeoutMs} ms.`)));
    produce(tool, output, args, toolContextOf(scope, over, clock, repaired)).then(
      (result) => {
        end();
        ended();
        resolve(result);
      },
      (error) => {
        end();
        ended();
        reject(error);
      },
    );
  });
}

async function produce(
  tool: AnyTool,
  output: PreparedTool['output'],
  args: unknown,
  context: ToolContext,
): Promise<CallToolResult> {
  const returned = await tool.handler(args as never, context);
  const value = isTextStream(returned) ? await textOfStream(returned, context) : returned;
  return output === undefined ? toolResultOf(value) : structuredResultOf(value, output);
}

export function unknownToolResult(name: string, known: Iterable<string>): CallToolResult {
  const names = [...known];
  const offer = names.length > 0 ? `This server has: ${names.join(', ')}.` : 'This server has no tools.';
  return errorResult(`Tool "${name}" not found. ${offer}`);
}
