import type { Cancellation } from '../protocol/base/cancellation.js';
import { OptionError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import { mcpToolName } from './tool-names.js';
import type { CallToolResult } from './types.js';

/** One call of a tool, as middleware sees it. */
export interface ToolInvocation {
  /** As the model calls it: `mcp__shop__stock`, or the name of one of the agent's own tools. */
  readonly toolName: string;
  /** The MCP server that has the tool; undefined for the agent's own. */
  readonly server: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  /** The `tool_use` block that the call answers, where the agent says so. */
  readonly toolUseId: string | undefined;
  /** The agent's session, once it is known. */
  readonly sessionId: string | undefined;
  /** Aborted when the call is cancelled, the turn is interrupted or the conversation ends. */
  readonly signal: AbortSignal;
}

/** Runs the rest: the middleware further in, then the tool. With another input, if one is given. Once at most. */
export type NextCall = (input?: Readonly<Record<string, unknown>>) => Promise<CallToolResult>;

/**
 * Stands around the call of a tool. It may look, change the input or the result, or answer in the tool's place without
 * calling `next`. What it throws is a failure of the tool, which the model reads.
 */
export type CallMiddleware = (
  call: ToolInvocation,
  next: NextCall,
) => CallToolResult | Promise<CallToolResult>;

/** Middleware made into one function around the tool itself. Rejects with what the middleware or the tool throws. */
export type ComposedCalls = (
  call: ToolInvocation,
  run: (input: Readonly<Record<string, unknown>>) => Promise<CallToolResult>,
) => Promise<CallToolResult>;

/** A `tools/call` as middleware sees it. */
export function toolInvocation(
  server: string,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  scope: { meta: unknown; sessionId: string | undefined; cancellation: Cancellation },
): ToolInvocation {
  const { meta, sessionId, cancellation } = scope;
  const toolUseId = isRecord(meta) ? meta['claudecode/toolUseId'] : undefined;
  return {
    toolName: mcpToolName(server, tool),
    server,
    input,
    toolUseId: typeof toolUseId === 'string' ? toolUseId : undefined,
    sessionId,
    signal: cancellation.signal,
  };
}

/** The first of the list is the outermost. Undefined where there is none, so that a call without any takes no detour. */
export function composeCalls(
  middleware: readonly CallMiddleware[] | null | undefined,
  option: string,
): ComposedCalls | undefined {
  if (middleware == null) return undefined;
  check(middleware, option);
  if (middleware.length === 0) return undefined;
  const layers = [...middleware];
  return (call, run) => {
    const enter = async (depth: number, entered: ToolInvocation): Promise<CallToolResult> => {
      const layer = layers[depth];
      if (layer === undefined) return run(entered.input);
      let isUsed = false;
      const next: NextCall = async (input) => {
        if (isUsed) throw new Error(`\`${option}\`: next() was called twice for one call; a tool runs once.`);
        isUsed = true;
        return enter(depth + 1, input === undefined ? entered : { ...entered, input });
      };
      return checkedResult(await layer(entered, next), option);
    };
    return enter(0, call);
  };
}

function check(middleware: unknown, option: string): void {
  if (Array.isArray(middleware) && middleware.every((each) => typeof each === 'function')) return;
  throw new OptionError(
    option,
    middleware,
    `The option \`${option}\` must be an array of functions (call, next) => result.`,
  );
}

function checkedResult(result: unknown, option: string): CallToolResult {
  if (isRecord(result)) return result as CallToolResult;
  throw new Error(
    `\`${option}\`: a middleware must return a result, { content: [ … ] }; return what next() gave, or one of your own.`,
  );
}
