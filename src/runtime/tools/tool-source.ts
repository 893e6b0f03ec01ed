import { TenonError } from '../../protocol/base/errors.js';
import type { RuntimeTool } from './tool-port.js';

/** Provides the agent's own tools: `embedded({ tools })`. One source serves any number of conversations. */
export interface ToolSource {
  /**
   * Called once per conversation, before its first prompt is read. An error that it throws ends the
   * conversation.
   */
  open(conversation: ToolSurroundings): ToolSet;
}

/** What tools may know about their conversation. */
export interface ToolSurroundings {
  readonly cwd: string;
  /** Directories besides `cwd` that the agent may work in. */
  readonly additionalDirectories: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The tools of one conversation. */
export interface ToolSet {
  /**
   * Must change whenever `tools()` would return something else. Read before every use, so it must be cheap.
   */
  readonly version: number;
  /** Called only after `version` has changed. */
  tools(): readonly RuntimeTool[];
  /** Called once, when the conversation ends. The runtime waits for it up to `LIMITS.toolsCloseMs`. */
  close?(): Promise<void> | void;
}

/** The names that the Messages API accepts for tools. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

export const NO_TOOLS: ToolSet = { version: 0, tools: () => [] };

export function openTools(
  tools: ToolSource | readonly RuntimeTool[] | undefined,
  conversation: ToolSurroundings,
): ToolSet {
  if (tools === undefined) return NO_TOOLS;
  if ('open' in tools) return checkedSet(tools.open(conversation));
  const fixed = checkedTools([...tools]);
  return { version: 0, tools: () => fixed };
}

function checkedSet(set: ToolSet): ToolSet {
  return {
    get version() {
      return set.version;
    },
    tools: () => checkedTools(set.tools()),
    ...(set.close === undefined ? {} : { close: () => set.close?.() }),
  };
}

function checkedTools(tools: readonly RuntimeTool[]): readonly RuntimeTool[] {
  for (const [index, tool] of tools.entries()) {
    const problem = problemWith(tool);
    if (problem !== undefined) throw new TenonError('INVALID_OPTION', `tools[${index}]: ${problem}`);
  }
  return tools;
}

function problemWith({ name, inputSchema, run }: RuntimeTool): string | undefined {
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    return `the name ${JSON.stringify(name)} cannot be used. Give it 1 to 128 letters, digits, "_" or "-".`;
  }
  if (inputSchema?.type !== 'object') {
    return `the tool "${name}" needs an inputSchema of type "object".`;
  }
  return typeof run === 'function' ? undefined : `the tool "${name}" needs a function run(call).`;
}
